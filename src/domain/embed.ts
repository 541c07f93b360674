import { hourMs } from "./calendar.ts";
import type { GroupId, KeyId, ProgramId } from "./ids.ts";

// A referral page that an integrator shows inside their own product, for users without an account of the service.

const isHost = (host: string): boolean => /^(?:[a-z0-9-]+(?:\.[a-z0-9-]+)*|\[[0-9a-f:.]+\])$/.test(host);
const isLocal = (host: string): boolean => /^(?:(?:[a-z0-9-]+\.)*localhost|127(?:\.\d+){3}|\[::1\])$/.test(host);

/**
 * The origin, in the form that browsers compare. Undefined if the text is another URL, or an origin over http that
 * isn't a port of this machine. The host is restricted to letters that can't end a directive of the page's
 * Content-Security-Policy, which lists the origins.
 */
export function parseOrigin(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null || url.href !== `${url.origin}/` || !isHost(url.hostname)) return undefined;
  if (url.protocol === "https:") return url.origin;
  return url.protocol === "http:" && isLocal(url.hostname) && url.port !== "" ? url.origin : undefined;
}

const readProgram = (digits: string | undefined): ProgramId | undefined => {
  const programId = Number.parseInt(digits ?? "", 36);
  return programId >= 1 && Number.isSafeInteger(programId) && programId.toString(36) === digits ? programId : undefined;
};

export const embedIdBytes = 16;

/** The id in the page's address. It contains the program's id, which is needed to find the program's database. */
export const embedIdOf = (programId: ProgramId, random: Uint8Array): string =>
  `emb_${programId.toString(36)}_${Buffer.from(random).toString("base64url")}`;

export const programOfEmbed = (embedId: string): ProgramId | undefined =>
  readProgram(/^emb_([0-9a-z]{1,11})_[\w-]{22}$/.exec(embedId)?.[1]);

/** What a token lets its holder do: to see and create one partner's links, for a user of the integrator's product. */
export interface EmbedToken {
  /** The user's id in the integrator's product, which is the partner's external id. */
  readonly externalId: string;
  /** This and the fields up to `code` are those of a new partner. */
  readonly name: string | null;
  readonly email: string | null;
  readonly groupId: GroupId | null;
  readonly code: string | null;
  /** The program key with which the token was requested. */
  readonly keyId: KeyId;
  readonly issuedAt: number;
}

export const tokenMs = hourMs;

/** `sealed` is the encrypted token. */
export const embedTokenText = (programId: ProgramId, sealed: string): string =>
  `svct_${programId.toString(36)}_${sealed}`;

export function readEmbedToken(text: string): { readonly programId: ProgramId; readonly sealed: string } | undefined {
  const [, digits, sealed] = /^svct_([0-9a-z]{1,11})_(\d{1,3}\.[\w-]+\.[\w-]+)$/.exec(text) ?? [];
  const programId = readProgram(digits);
  return programId === undefined || sealed === undefined ? undefined : { programId, sealed };
}

interface TokenTerms {
  /** Undefined if the program has no such key, or retired it long ago. */
  readonly key: { readonly retiresAt: number | null } | undefined;
  readonly archivedAt: number | null;
  /** The last time that an owner ended all tokens. */
  readonly tokensEndedAt: number | null;
}

/** True if the token is over, or was ended early. */
export const isTokenEnded = (
  { issuedAt }: Pick<EmbedToken, "issuedAt">,
  { key, archivedAt, tokensEndedAt }: TokenTerms,
  at: number,
): boolean =>
  at >= issuedAt + tokenMs ||
  archivedAt !== null ||
  key === undefined ||
  (key.retiresAt !== null && at >= key.retiresAt) ||
  (tokensEndedAt !== null && issuedAt <= tokensEndedAt);
