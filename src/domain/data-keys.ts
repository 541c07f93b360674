import { type KeyRing, parseKeyRing } from "./key-ring.ts";

export type DataKeyRing = KeyRing;

const keyBytes = 32;

/** `<id>:<base64url of 32 bytes>[,…]`, newest first: the first key encrypts, all decrypt. Undefined if it is invalid. */
export function parseDataKeys(text: string): DataKeyRing | undefined {
  const ring = parseKeyRing(text);
  return ring !== undefined && [...ring.keys.values()].every(({ length }) => length === keyBytes) ? ring : undefined;
}
