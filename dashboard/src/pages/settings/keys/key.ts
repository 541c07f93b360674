import { describeGrant, type Key, type KeyGrant } from "../../../key-grants.ts";
import { keepOneTimeKey } from "../../../one-time-key.ts";
import { type Program, paramOf } from "../../../session.tsx";

export interface AboutKey {
  readonly of: Key;
  readonly onClose: () => void;
}

export const isLive = ({ retiresAt }: Pick<Key, "retiresAt">): boolean =>
  retiresAt === null || Date.parse(retiresAt) > Date.now();

/** The key that replaced this key, or the key that this key replaced, if that other key works too. */
export const twinOf = ({ apiKeys = [] }: Pick<Program, "apiKeys">, of: Key): Key | undefined =>
  apiKeys.find((key) => isLive(key) && key.originId === of.originId && key.id !== of.id);

/** True if a newer key, which doesn't expire, has replaced this one. */
export const isReplaced = (program: Pick<Program, "apiKeys">, of: Key): boolean =>
  twinOf(program, of)?.retiresAt === null;

const idleMs = 90 * 86_400_000;

/** True if the key works and may manage partners, but hasn't been used for long. */
export const isIdle = (key: Key): boolean =>
  isLive(key) && key.scopes.includes("manage") && Date.now() - Date.parse(key.lastUsedAt ?? key.createdAt) > idleMs;

export const paramOfKey = (program: Pick<Program, "id">, { id }: Pick<Key, "id">) => ({
  ...paramOf(program),
  keyId: String(id),
});

export const keyQueryKeys = ({ id }: Pick<Program, "id">) => [`program ${id} settings`, `program ${id} audit`];

export const showOnce = ({ id }: Pick<Program, "id">, { apiKey, ...grant }: KeyGrant & { readonly apiKey: string }) =>
  keepOneTimeKey({ programId: id, key: apiKey, about: describeGrant(grant) });
