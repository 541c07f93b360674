import { hourMs } from "./calendar.ts";
import type { GroupId, KeyId, ProgramId } from "./ids.ts";
import { isUsable, type KeyScope } from "./program-key.ts";
import { readProgram } from "./token-text.ts";

// The referral page, which integrators embed in their own product, for users who have no account of the service.

const isHost = (host: string): boolean => /^[a-z0-9-]+(?:\.[a-z0-9-]+)*$/.test(host);
const isLocal = (host: string): boolean => /^(?:(?:[a-z0-9-]+\.)*localhost|127(?:\.\d+){3})$/.test(host);

/**
 * Returns the origin in the form that browsers compare. Undefined if the text isn't an origin, or if it uses http for
 * anything but a port of this machine. The page's Content-Security-Policy lists the origins, so a host may contain only
 * characters that can't end a directive. The host can't be an IPv6 address, because a Content-Security-Policy can't
 * name one.
 */
export function parseOrigin(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null || url.href !== `${url.origin}/` || !isHost(url.hostname)) return undefined;
  if (url.protocol === "https:") return url.origin;
  return url.protocol === "http:" && isLocal(url.hostname) && url.port !== "" ? url.origin : undefined;
}

export const embedIdBytes = 16;

/**
 * Creates the id in the page's address. The id contains the program's id, which is needed to find the program's
 * database.
 */
export const embedIdOf = (programId: ProgramId, random: Uint8Array): string =>
  `emb_${programId.toString(36)}_${Buffer.from(random).toString("base64url")}`;

export const programOfEmbed = (embedId: string): ProgramId | undefined =>
  readProgram(/^emb_([0-9a-z]{1,11})_[\w-]{22}$/.exec(embedId)?.[1]);

/**
 * The content of a token. Its holder can read the data of one partner, create links for them and report missing sales,
 * for a user of the integrator's product.
 */
export interface EmbedToken {
  /** The user's id in the integrator's product, which is the partner's external id. */
  readonly externalId: string;
  /** The fields from here to `code` are used only to create the partner. */
  readonly name: string | null;
  readonly email: string | null;
  readonly groupId: GroupId | null;
  readonly code: string | null;
  /** The program key with which the token was requested. */
  readonly keyId: KeyId;
  readonly issuedAt: number;
}

export const tokenMs = hourMs;

interface TokenTerms {
  /** Undefined if the program has no such key, or the key was retired long ago. */
  readonly key: { readonly retiresAt: number | null; readonly scopes: readonly KeyScope[] } | undefined;
  readonly archivedAt: number | null;
  /** When an owner last ended all tokens (ms). */
  readonly tokensEndedAt: number | null;
}

/** True if the token has expired or was revoked. */
export const isTokenEnded = (
  { issuedAt }: Pick<EmbedToken, "issuedAt">,
  { key, archivedAt, tokensEndedAt }: TokenTerms,
  at: number,
): boolean =>
  at >= issuedAt + tokenMs ||
  archivedAt !== null ||
  !isUsable(key, ["manage"], at) ||
  (tokensEndedAt !== null && issuedAt <= tokensEndedAt);
