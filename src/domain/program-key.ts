import { createHash } from "node:crypto";
import { hourMs } from "./calendar.ts";
import type { KeyId, ProgramId } from "./ids.ts";
import { readProgram } from "./token-text.ts";

export const defaultGraceHours = 24;
export const maxGraceHours = 30 * 24;

/**
 * `track` allows tracking calls, the verification, and reports of reconciliations. `read` allows reading readiness,
 * explanations, lists and the feed. `manage` allows imports, proposals, tokens of the referral page, and changes to
 * partners and coupons. `settle` allows reporting payout lines as settled or failed.
 */
export const keyScopes = ["track", "read", "manage", "settle"] as const;
export type KeyScope = (typeof keyScopes)[number];

export const keyBooks = ["both", "test"] as const;
export type KeyBook = (typeof keyBooks)[number];

const secretBytes = 32;

/** Creates a key, `svc_<program id, base 36>_<43 base64url characters>`. `random` is 32 bytes. */
export function mintProgramKey(programId: ProgramId, random: Uint8Array): string {
  if (random.length !== secretBytes) throw new RangeError("a program key needs 32 random bytes");
  return `svc_${programId.toString(36)}_${Buffer.from(random).toString("base64url")}`;
}

/** Reads the program id. Only the form is checked, so the key might never have been issued. */
export function readProgramKey(text: string): { readonly programId: ProgramId } | undefined {
  // 43 base64url characters have two bits more than 32 bytes. The extra bits are 0, so the last character is one of
  // sixteen.
  const programId = readProgram(/^svc_([0-9a-z]{1,11})_[\w-]{42}[AEIMQUYcgkosw048]$/.exec(text)?.[1]);
  return programId === undefined ? undefined : { programId };
}

/** SHA-256 in lower-case hex. */
export const hashProgramKey = (text: string): string => createHash("sha256").update(text).digest("hex");

/** Masks a key as `svc_1_••••abcd`. */
export const maskProgramKey = (programId: ProgramId, lastFour: string): string =>
  `svc_${programId.toString(36)}_••••${lastFour}`;

export type KeyState =
  | { readonly state: "live" }
  | { readonly state: "retiring"; readonly retiresAt: number }
  | { readonly state: "retired"; readonly retiredAt: number };

/**
 * The state of a key. The keys of an archived program are retired from the instant of archiving on. They are refused
 * even for calls that were sent before that instant.
 */
export function keyState(
  key: { readonly retiresAt: number | null },
  at: number,
  archivedAt: number | null = null,
): KeyState {
  if (archivedAt !== null) return { state: "retired", retiredAt: Math.min(key.retiresAt ?? archivedAt, archivedAt) };
  if (key.retiresAt === null) return { state: "live" };
  if (at < key.retiresAt) return { state: "retiring", retiresAt: key.retiresAt };
  return { state: "retired", retiredAt: key.retiresAt };
}

/** True if the key isn't retired and has all of these scopes. */
export const isUsable = (
  key: { readonly retiresAt: number | null; readonly scopes: readonly KeyScope[] } | undefined,
  scopes: readonly KeyScope[],
  at: number,
): boolean =>
  key !== undefined && scopes.every((scope) => key.scopes.includes(scope)) && keyState(key, at).state !== "retired";

/**
 * The number of retired keys that are still recognized, more than a program normally has. Keys retired earlier are
 * rejected like keys that were never issued.
 */
export const maxRetiredKeys = 50;

/** The key with this hash. Undefined if `maxRetiredKeys` others were retired after it. */
export function recognizedKey<Key extends RotatableKey & { readonly hash: string }>(
  keys: readonly Key[],
  hash: string,
  at: number,
): Key | undefined {
  const key = keys.find((each) => each.hash === hash);
  if (key?.retiresAt == null || keyState(key, at).state !== "retired") return key;
  const { id, retiresAt } = key;
  const isLater = (other: RotatableKey) =>
    other.retiresAt !== null && (other.retiresAt - retiresAt || other.id - id) > 0;
  const later = keys.filter((other) => isLater(other) && keyState(other, at).state === "retired");
  return later.length < maxRetiredKeys ? key : undefined;
}

/** The permissions of a key. A key that replaces it gets the same. */
export interface KeyGrant {
  readonly name: string;
  readonly scopes: readonly KeyScope[];
  readonly book: KeyBook;
}

/** The first key doesn't get `settle`, which needs a separate key. */
export const firstKeyGrant: KeyGrant = {
  name: "First key",
  scopes: keyScopes.filter((scope) => scope !== "settle"),
  book: "both",
};

export const noSettleOfFirst =
  "The program's first key can't have the scope settle. Create a key for the system that settles payouts.";

/** Scopes that a test key can't have, because partners and payouts exist only in the live book. */
export const liveScopes = ["manage", "settle"] as const satisfies readonly KeyScope[];

export const notInTest = (scope: KeyScope): string => `A key for the test book can't have the scope ${scope}`;

/** The first scope that a key of this book can't have. */
export const scopeNotInTest = ({ scopes, book }: Pick<KeyGrant, "scopes" | "book">): KeyScope | undefined =>
  book === "both" ? undefined : liveScopes.find((scope) => scopes.includes(scope));

/** The scopes without duplicates, in the order of `keyScopes`. */
export const orderedScopes = (scopes: readonly string[]): readonly KeyScope[] =>
  keyScopes.filter((scope) => scopes.includes(scope));

interface RotatedKey {
  readonly id: KeyId;
  /** The first key in the chain of rotations. Null if this is the first. */
  readonly originId: KeyId | null;
}

/** The id shared by all keys of a chain of rotations, which members see as one key. */
export const originOf = ({ id, originId }: RotatedKey): KeyId => originId ?? id;

/** The number of keys that work at `at` (ms). A key and the keys that it replaced count as one. */
export const countLiveKeys = (
  keys: readonly (RotatedKey & { readonly retiresAt: number | null })[],
  at: number,
): number => new Set(keys.filter((key) => keyState(key, at).state !== "retired").map(originOf)).size;

export interface RotatableKey {
  readonly id: KeyId;
  readonly createdAt: number;
  readonly retiresAt: number | null;
}

export interface Rotation {
  readonly retire: readonly { readonly id: KeyId; readonly retiresAt: number }[];
  readonly previousRetiresAt: number;
}

/**
 * Plans a rotation. The newest key works for the grace period, and older ones end immediately, so that at most two keys
 * of a chain work. The end of a grace period is never postponed.
 */
export function rotation(liveKeys: readonly RotatableKey[], graceHours: number | null, at: number): Rotation {
  const [previous, ...older] = liveKeys
    .filter((key) => keyState(key, at).state !== "retired")
    .sort((a, b) => b.createdAt - a.createdAt || b.id - a.id);
  if (previous === undefined) return { retire: [], previousRetiresAt: at };

  const hours = Math.min(Math.max(graceHours ?? defaultGraceHours, 0), maxGraceHours);
  const deadline = at + Math.round(hours * hourMs);
  const previousRetiresAt = Math.min(previous.retiresAt ?? deadline, deadline);
  const retire = older.map(({ id }) => ({ id, retiresAt: at }));
  if (previousRetiresAt !== previous.retiresAt) retire.unshift({ id: previous.id, retiresAt: previousRetiresAt });
  return { retire, previousRetiresAt };
}
