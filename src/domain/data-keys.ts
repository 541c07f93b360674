import { type KeyRing, parseKeyRing } from "./key-ring.ts";

export type DataKeyRing = KeyRing;

const keyBytes = 32;

/**
 * Parses `<id>:<base64url of 32 bytes>[,…]`, newest first. The first key encrypts, and all keys decrypt. Undefined if
 * the text is invalid.
 */
export function parseDataKeys(text: string): DataKeyRing | undefined {
  const ring = parseKeyRing(text);
  return ring !== undefined && [...ring.keys.values()].every(({ length }) => length === keyBytes) ? ring : undefined;
}
