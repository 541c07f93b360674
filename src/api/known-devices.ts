import { dayMs } from "#domain/calendar.ts";
import { hashSecretOf } from "#env.ts";
import type { Ctx } from "#http/context.ts";
import { digest } from "#http/keyed-digest.ts";
import { randomSecret } from "#http/secret.ts";
import { cookieNames, readSignedCookie, setSignedCookie } from "#http/session-cookie.ts";

// A browser that has signed in to an account keeps a signed cookie as proof. Failed sign-ins with that cookie are
// counted separately, so that an attacker's failures can't lock out the account's owner. A new password invalidates all
// these cookies, because one of the browsers may be the reason for the change. See
// https://owasp.org/www-community/Slow_Down_Online_Guessing_Attacks_with_Device_Cookies

const maxAgeSeconds = 400 * 24 * 3_600;

interface DeviceAccount {
  readonly email: string;
  readonly hash: string;
}

const cookiePrefix = "device_";
const maxDevices = 5;

const cookieOf = (c: Ctx, { email }: DeviceAccount): string =>
  `${cookiePrefix}${digest(hashSecretOf(c.env), "device", email.toLowerCase()).slice(0, 16)}`;
const deviceProofOf = (c: Ctx, { email, hash }: DeviceAccount): string =>
  digest(hashSecretOf(c.env), "device", email.toLowerCase(), hash);

/** The browser's id. Undefined if the browser hasn't signed in to this account since the password was last set. */
export async function knownDevice(c: Ctx, account: DeviceAccount): Promise<string | undefined> {
  const [proof, id] = (await readSignedCookie(c, cookieOf(c, account)))?.split(".") ?? [];
  return proof === deviceProofOf(c, account) ? id : undefined;
}

/** The browser's id from the first valid cookie of any account. */
export async function anyKnownDevice(c: Ctx): Promise<string | undefined> {
  for (const name of cookieNames(c, cookiePrefix).slice(0, maxDevices)) {
    const [, id] = (await readSignedCookie(c, name))?.split(".") ?? [];
    if (id !== undefined) return id;
  }
  return undefined;
}

export async function rememberDevice(c: Ctx, account: DeviceAccount): Promise<void> {
  const id = (await knownDevice(c, account)) ?? randomSecret();
  await setSignedCookie(c, cookieOf(c, account), `${deviceProofOf(c, account)}.${id}`, maxAgeSeconds);
}

// After a browser has used a code of the second factor, sign-ins in this browser require no code for 30 days. A new
// password or second factor ends this exception.

const codeFreeMs = 30 * dayMs;

interface CodeAccount {
  readonly email: string;
  readonly hash: string | null;
  readonly secondFactorAt: number | null;
}

const codeCookieOf = (c: Ctx, { email }: CodeAccount): string =>
  `code_${digest(hashSecretOf(c.env), "code", email.toLowerCase()).slice(0, 16)}`;
const codeProofOf = (c: Ctx, { email, hash, secondFactorAt }: CodeAccount, until: string): string =>
  digest(hashSecretOf(c.env), "code", email.toLowerCase(), hash ?? "", String(secondFactorAt), until);

export async function hasUsedCode(c: Ctx, account: CodeAccount): Promise<boolean> {
  const [proof, until = ""] = (await readSignedCookie(c, codeCookieOf(c, account)))?.split(".") ?? [];
  return Number(until) > c.get("call").at && proof === codeProofOf(c, account, until);
}

export async function rememberCode(c: Ctx, account: CodeAccount): Promise<void> {
  const until = String(c.get("call").at + codeFreeMs);
  const value = `${codeProofOf(c, account, until)}.${until}`;
  await setSignedCookie(c, codeCookieOf(c, account), value, codeFreeMs / 1000);
}
