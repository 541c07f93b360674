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
