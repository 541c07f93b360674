import { describeGrant, type Key, type KeyGrant } from "../../../key-grants.ts";
import { keepOneTimeKey } from "../../../one-time-key.ts";
import { type Program, paramOf } from "../../../session.tsx";

export interface AboutKey {
  readonly of: Key;
  readonly onClose: () => void;
}

export const isLive = ({ retiresAt }: Pick<Key, "retiresAt">): boolean =>
  retiresAt === null || Date.parse(retiresAt) > Date.now();

/** The key that it was rotated to or from, if that works too. */
export const twinOf = ({ apiKeys = [] }: Pick<Program, "apiKeys">, of: Key): Key | undefined =>
  apiKeys.find((key) => isLive(key) && key.originId === of.originId && key.id !== of.id);

/** A newer key, which doesn't expire, takes its place. */
export const isReplaced = (program: Pick<Program, "apiKeys">, of: Key): boolean =>
  twinOf(program, of)?.retiresAt === null;

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
