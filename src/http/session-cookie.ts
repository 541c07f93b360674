import { parse, parseSigned, serializeSigned } from "hono/utils/cookie";
import { hashLinkToken } from "#domain/link-token.ts";
import { authSecretOf } from "#env.ts";
import type { Ctx } from "./context.ts";

const cookiePrefix = "tributary";

/** Over plain http, a browser would drop a Secure cookie. */
export const isCookieSecure = (c: Ctx): boolean => !c.get("transport").isPlainHttpAllowed;

/**
 * The prefix `__Host-` prevents sibling domains from setting the cookie:
 * https://developer.mozilla.org/docs/Web/HTTP/Reference/Headers/Set-Cookie#__host-
 */
function cookieOf(name: string, secure: boolean) {
  return {
    name: `${secure ? "__Host-" : ""}${cookiePrefix}.${name}`,
    attributes: { secure, httpOnly: true, sameSite: "lax", path: "/" },
  } as const;
}

export const sessionCookieName = (secure: boolean): string => cookieOf("session_token", secure).name;

export async function setSignedCookie(c: Ctx, name: string, value: string, maxAgeSeconds: number): Promise<void> {
  const { name: fullName, attributes } = cookieOf(name, isCookieSecure(c));
  const options = { ...attributes, maxAge: maxAgeSeconds };
  const cookie = await serializeSigned(fullName, value, authSecretOf(c.env), options);
  c.header("Set-Cookie", cookie, { append: true });
}

export async function readSignedCookie(c: Ctx, name: string): Promise<string | undefined> {
  const { name: fullName } = cookieOf(name, isCookieSecure(c));
  const cookies = await parseSigned(c.req.header("Cookie") ?? "", authSecretOf(c.env), fullName);
  return cookies[fullName] || undefined;
}

/** Names of the caller's cookies that begin with the prefix, for `readSignedCookie`. */
export function cookieNames(c: Ctx, prefix: string): readonly string[] {
  const { name: fullPrefix } = cookieOf(prefix, isCookieSecure(c));
  const names = Object.keys(parse(c.req.header("Cookie") ?? ""));
  return names.filter((name) => name.startsWith(fullPrefix)).map((name) => prefix + name.slice(fullPrefix.length));
}

/** The token as the browser has it. */
export const cookieTokenOf = (c: Ctx): Promise<string | undefined> => readSignedCookie(c, "session_token");

/** The token as stored. It is a hash, so that a copy of the database can't be used to sign in. */
export const storedToken = (token: string): string => hashLinkToken(token);

export async function sessionTokenOf(c: Ctx): Promise<string | undefined> {
  const token = await cookieTokenOf(c);
  return token === undefined ? undefined : storedToken(token);
}

export const setSessionCookie = (c: Ctx, token: string, maxAgeSeconds: number): Promise<void> =>
  setSignedCookie(c, "session_token", token, maxAgeSeconds);
