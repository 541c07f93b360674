import { hashSecretOf } from "../../../env.ts";
import type { Ctx } from "../../../http/context.ts";
import { digest } from "../../../http/keyed-digest.ts";
import { randomSecret } from "../../../http/secret.ts";
import { readSignedCookie, setSignedCookie } from "../../../http/session-cookie.ts";

// A browser that has signed in to an account keeps a cookie as proof. Its failed sign-ins are counted separately, so that
// no one else's can lock the account's owner out. A new password invalidates the proof of every browser, as one of them
// may be why the password was changed:
// https://owasp.org/www-community/Slow_Down_Online_Guessing_Attacks_with_Device_Cookies

const maxAgeSeconds = 400 * 24 * 3_600;

interface Account {
  readonly email: string;
  readonly hash: string;
}

const cookieOf = (c: Ctx, { email }: Account): string =>
  `device_${digest(hashSecretOf(c.env), "device", email.toLowerCase()).slice(0, 16)}`;
const proofOf = (c: Ctx, { email, hash }: Account): string =>
  digest(hashSecretOf(c.env), "device", email.toLowerCase(), hash);

/** The browser's id. Undefined if it hasn't signed in to the account since the password was set. */
export async function knownDevice(c: Ctx, account: Account): Promise<string | undefined> {
  const [proof, id] = (await readSignedCookie(c, cookieOf(c, account)))?.split(".") ?? [];
  return proof === proofOf(c, account) ? id : undefined;
}

export async function rememberDevice(c: Ctx, account: Account): Promise<void> {
  const id = (await knownDevice(c, account)) ?? randomSecret();
  await setSignedCookie(c, cookieOf(c, account), `${proofOf(c, account)}.${id}`, maxAgeSeconds);
}
