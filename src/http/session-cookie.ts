import { parseSigned } from "hono/utils/cookie";
import { authSecretOf, isOwnMachine } from "../env.ts";
import type { Ctx } from "./app-env.ts";

/** Of the names of all cookies that better-auth sets. */
export const cookiePrefix = "tributary";

/** On one's own machine there is no TLS, and a browser would drop a Secure cookie. */
export const isCookieSecure = (calledUrl: string): boolean => !isOwnMachine(calledUrl);

export const sessionCookieName = (isSecure: boolean): string =>
  `${isSecure ? "__Secure-" : ""}${cookiePrefix}.session_token`;

/**
 * The session's token, if the cookie that holds it was signed by us. Read as better-auth writes it, without loading
 * better-auth: most requests only need to know whose session it is.
 */
export async function sessionTokenOf({ req, env }: Ctx): Promise<string | undefined> {
  const name = sessionCookieName(isCookieSecure(req.url));
  const cookies = await parseSigned(req.header("Cookie") ?? "", authSecretOf(env), name);
  return cookies[name] || undefined;
}
