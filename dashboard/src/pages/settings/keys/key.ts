import { describeGrant, type Key, type KeyGrant } from "../../../key-grants.ts";
import { keepOneTimeKey } from "../../../one-time-key.ts";
import { type Program, paramOf } from "../../../session.tsx";

export interface AboutKey {
  readonly of: Key;
  readonly onClose: () => void;
}

export const isLive = ({ retiresAt }: Pick<Key, "retiresAt">): boolean =>
  retiresAt === null || Date.parse(retiresAt) > Date.now();

/** One of them was rotated to the other: they may do the same, and the older one expires. */
const isRotated = (a: Key, b: Key): boolean =>
  describeGrant(a) === describeGrant(b) && (a.retiresAt === null) !== (b.retiresAt === null);

/** The key that it was rotated to or from, if that works too. */
export const twinOf = ({ apiKeys = [] }: Pick<Program, "apiKeys">, of: Key): Key | undefined =>
  apiKeys.find((key) => isLive(key) && isRotated(key, of));

/** A newer key takes its place. */
export const isReplaced = (program: Pick<Program, "apiKeys">, of: Key): boolean =>
  of.retiresAt !== null && twinOf(program, of) !== undefined;

const idleMs = 90 * 86_400_000;

/** It works and may manage partners, but nothing has used it for long. */
export const isIdle = (key: Key): boolean =>
  isLive(key) && key.scopes.includes("manage") && Date.now() - Date.parse(key.lastUsedAt ?? key.createdAt) > idleMs;

export const paramOfKey = (program: Pick<Program, "id">, { id }: Pick<Key, "id">) => ({
  ...paramOf(program),
  keyId: String(id),
});

export const keyQueryKeys = ({ id }: Pick<Program, "id">) => [`program ${id} settings`, `program ${id} audit`];

export const showOnce = ({ id }: Pick<Program, "id">, { apiKey, ...grant }: KeyGrant & { readonly apiKey: string }) =>
  keepOneTimeKey({ programId: id, key: apiKey, about: describeGrant(grant) });
