import { randomBytes } from "node:crypto";

/**
 * Returns a word that no other row, id, digest or ciphertext contains. Use it for names, codes, and texts that must not
 * appear somewhere.
 */
export const uniqueWord = (start = "word"): string => `${start}${randomBytes(8).toString("hex")}`;

/** Throws if random base64 text could contain one of the texts by chance. */
export function expectUnmistakable(texts: readonly string[]): void {
  const short = texts.filter((text) => /^[\w+/=-]{0,11}$/.test(text));
  if (short.length > 0) throw new RangeError(`random text may have this by chance, a uniqueWord() not: ${short}`);
}
