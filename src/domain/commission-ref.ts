import { createCipheriv } from "node:crypto";
import { base32Digits, numberOfBase32 } from "./base32.ts";
import type { CommissionId } from "./ids.ts";

const halfBits = 25;
const halfSize = 2 ** halfBits;
const halfDigits = 5;
/**
 * The number of rounds of FF1 (NIST SP 800-38G). This cipher is modeled on FF1, but its halves consist of bits instead
 * of digits.
 */
const rounds = 10;
const blockBytes = 16;

/** References that partners see instead of ids. */
export interface Refs<Id extends number> {
  refOf(id: Id): string;
  /** Undefined if the text doesn't have the form of a ref. A ref that was never issued returns an arbitrary id. */
  idOf(ref: string): Id | undefined;
}

export type CommissionRefs = Refs<CommissionId>;

/**
 * Encrypts ids as refs of 10 characters, by a permutation of all 50-bit numbers. Without the key (32 bytes), a ref
 * reveals nothing about the id.
 */
export function encryptedRefs<Id extends number>(key: Uint8Array): Refs<Id> {
  const cipher = createCipheriv("aes-256-ecb", key, null).setAutoPadding(false);
  const block = Buffer.alloc(blockBytes);
  const mixed = (half: number, round: number): number => {
    block.writeUInt8(round, 0);
    block.writeUInt32BE(half, blockBytes - 4);
    return cipher.update(block).readUInt32BE(0) % halfSize;
  };
  return {
    refOf(id) {
      let [left, right] = [Math.floor(id / halfSize), id % halfSize];
      for (let round = 0; round < rounds; round += 1) [left, right] = [right, left ^ mixed(right, round)];
      return base32Digits(left, halfDigits) + base32Digits(right, halfDigits);
    },
    idOf(ref) {
      const text = ref.toUpperCase();
      let left = numberOfBase32(text.slice(0, halfDigits));
      let right = numberOfBase32(text.slice(halfDigits));
      if (text.length !== 2 * halfDigits || left === undefined || right === undefined) return undefined;
      for (let round = rounds - 1; round >= 0; round -= 1) [left, right] = [right ^ mixed(left, round), left];
      return (left * halfSize + right) as Id;
    },
  };
}
