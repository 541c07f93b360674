/** RFC 4648 without padding, as authenticator apps expect it. */
const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

export function base32(bytes: Uint8Array): string {
  let text = "";
  let [buffer, bits] = [0, 0];
  for (const byte of bytes) {
    buffer = buffer * 256 + byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += alphabet.charAt(Math.floor(buffer / 2 ** bits));
      buffer %= 2 ** bits;
    }
  }
  return bits === 0 ? text : text + alphabet.charAt(buffer * 2 ** (5 - bits));
}

/** The lowest `length` digits of a number below 2^31, most significant first. */
export const base32Digits = (number: number, length: number): string =>
  Array.from({ length }, (_, i) => alphabet.charAt((number >> (5 * (length - 1 - i))) & 31)).join("");

/** Reads a number of at most ten base32 digits. Undefined if a digit is invalid. */
export function numberOfBase32(digits: string): number | undefined {
  const values = Array.from(digits, (digit) => alphabet.indexOf(digit));
  return values.includes(-1) ? undefined : values.reduce((number, value) => number * 32 + value, 0);
}
