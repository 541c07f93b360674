import { createHash, createHmac } from "node:crypto";

const halfBytes = 16;

/** An object's id, derived from its name as in workerd, so that both runtimes can use the same folder of objects. */
export class ObjectId {
  /** Undefined if an alarm has started the object and its name was never stored. */
  readonly name: string | undefined;
  readonly #hex: string;

  constructor(hex: string, name: string | undefined) {
    this.#hex = hex;
    this.name = name;
  }

  static fromName(uniqueKey: string, name: string): ObjectId {
    const key = createHash("sha256").update(uniqueKey).digest();
    const half = (of: string | Buffer) => createHmac("sha256", key).update(of).digest().subarray(0, halfBytes);
    const first = half(name);
    return new ObjectId(Buffer.concat([first, half(first)]).toString("hex"), name);
  }

  equals(other: { toString(): string }): boolean {
    return this.#hex === other.toString();
  }

  toString(): string {
    return this.#hex;
  }
}
