import { hashLinkToken } from "#domain/link-token.ts";
import type { Ctx } from "./context.ts";
import type { Secrets } from "./oidc-provider.ts";
import { cookieNames, readSignedCookie, setSignedCookie } from "./session-cookie.ts";

// Binds a sign-in at the identity provider to the browser in which it began. Each sign-in has its own cookie, so that
// two tabs don't disturb each other. The cookie is deleted when its sign-in ends, so that a sign-in can end only once.

export type Purpose =
  | { readonly kind: "sign_in"; readonly invitation: string | null }
  /** `sessionToken` is the stored form (a hash) of the token of the session that began the sign-in. */
  | { readonly kind: "link" | "confirm"; readonly sessionToken: string };

export interface Begun extends Secrets {
  readonly at: number;
  /** A path of this service. */
  readonly returnTo: string;
  readonly purpose: Purpose;
}

const prefix = "oidc_";
const validSeconds = 10 * 60;
/** Other sites can make a browser begin sign-ins, and servers refuse a browser that sends many cookies. */
const maxOpen = 4;

const nameOf = (state: string): string => `${prefix}${hashLinkToken(state).slice(0, 16)}`;

export async function rememberBegun(c: Ctx, begun: Begun): Promise<void> {
  const open = await Promise.all(
    cookieNames(c, prefix).map(async (name) => ({ name, at: parse(await readSignedCookie(c, name))?.at ?? 0 })),
  );
  const surplus = open.toSorted((a, b) => b.at - a.at).slice(maxOpen - 1);
  for (const { name } of surplus) await setSignedCookie(c, name, "", 0);
  const value = Buffer.from(JSON.stringify(begun)).toString("base64url");
  await setSignedCookie(c, nameOf(begun.state), value, validSeconds);
}

/** Returns the sign-in with this state, if this browser began it in the last ten minutes, and deletes its cookie. */
export async function takeBegun(c: Ctx, state: string): Promise<Begun | undefined> {
  const name = nameOf(state);
  const begun = parse(await readSignedCookie(c, name));
  await setSignedCookie(c, name, "", 0);
  const isOwn = begun?.state === state && c.get("call").at - begun.at <= validSeconds * 1_000;
  return isOwn ? begun : undefined;
}

function parse(value: string | undefined): Begun | undefined {
  if (value === undefined) return undefined;
  try {
    // The signature proves that this service wrote the value, but not for which cookie.
    return JSON.parse(Buffer.from(value, "base64url").toString("utf8")) as Begun;
  } catch {
    return undefined;
  }
}
