import { hashSecretOf } from "../../env.ts";
import type { Ctx } from "../../http/app-env.ts";
import { digest } from "../../http/digest.ts";
import { randomSecret } from "../../http/random.ts";
import { setSignedCookie, signedCookie } from "../../http/session-cookie.ts";

// A browser that has signed in to an account keeps a cookie that says so. Its failed sign-ins are counted by themselves,
// so that nobody else's can lock the account's owner out of it:
// https://owasp.org/www-community/Slow_Down_Online_Guessing_Attacks_with_Device_Cookies

/** The longest that browsers keep a cookie. */
const maxAgeSeconds = 400 * 24 * 3_600;

const accountOf = (c: Ctx, email: string): string => digest(hashSecretOf(c.env), "device", email.toLowerCase());
const cookieOf = (account: string): string => `device_${account.slice(0, 16)}`;

/** The id of this browser, if it has signed in to the account before. */
export async function knownDevice(c: Ctx, email: string): Promise<string | undefined> {
  const account = accountOf(c, email);
  const [owner, id] = (await signedCookie(c, cookieOf(account)))?.split(".") ?? [];
  return owner === account ? id : undefined;
}

export async function rememberDevice(c: Ctx, email: string): Promise<void> {
  const account = accountOf(c, email);
  const id = (await knownDevice(c, email)) ?? randomSecret();
  await setSignedCookie(c, cookieOf(account), `${account}.${id}`, maxAgeSeconds);
}
