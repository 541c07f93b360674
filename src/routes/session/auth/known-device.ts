import { hashSecretOf } from "../../../env.ts";
import type { Ctx } from "../../../http/context.ts";
import { digest } from "../../../http/keyed-digest.ts";
import { randomSecret } from "../../../http/secret.ts";
import { setSignedCookie, signedCookie } from "../../../http/session-cookie.ts";

// A browser that has signed in to an account keeps a cookie that says so. Its failed sign-ins are counted by themselves,
// so that nobody else's can lock the account's owner out of it. A new password makes every browser unknown again, as one
// of them may be why it was changed:
// https://owasp.org/www-community/Slow_Down_Online_Guessing_Attacks_with_Device_Cookies

/** The longest that browsers keep a cookie. */
const maxAgeSeconds = 400 * 24 * 3_600;

interface Account {
  readonly email: string;
  /** Of its present password. */
  readonly hash: string;
}

const cookieOf = (c: Ctx, { email }: Account): string =>
  `device_${digest(hashSecretOf(c.env), "device", email.toLowerCase()).slice(0, 16)}`;
const proofOf = (c: Ctx, { email, hash }: Account): string =>
  digest(hashSecretOf(c.env), "device", email.toLowerCase(), hash);

/** The id of this browser, if it has signed in to the account since its password was set. */
export async function knownDevice(c: Ctx, account: Account): Promise<string | undefined> {
  const [proof, id] = (await signedCookie(c, cookieOf(c, account)))?.split(".") ?? [];
  return proof === proofOf(c, account) ? id : undefined;
}

export async function rememberDevice(c: Ctx, account: Account): Promise<void> {
  const id = (await knownDevice(c, account)) ?? randomSecret();
  await setSignedCookie(c, cookieOf(c, account), `${proofOf(c, account)}.${id}`, maxAgeSeconds);
}
