import { randomBytes } from "node:crypto";

/** For a name, a code, or a text to look for where it must not be: no other row, id, digest or ciphertext has it. */
export const uniqueWord = (start = "word"): string => `${start}${randomBytes(8).toString("hex")}`;

/** Throws for a text that base64 could have by chance. */
export function expectUnmistakable(texts: readonly string[]): void {
  const short = texts.filter((text) => /^[\w+/=-]{0,11}$/.test(text));
  if (short.length > 0) throw new RangeError(`random text may have this by chance, a uniqueWord() not: ${short}`);
}
