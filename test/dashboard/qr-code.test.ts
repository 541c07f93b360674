import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { qrCode } from "../../dashboard/src/qr-code.ts";

/** Reads a code of version 2 to 5, which have one block and one alignment pattern, as a scanner would. */
function read(modules: readonly (readonly boolean[])[]): string {
  const size = modules.length;
  const isAlignment = (x: number, y: number) => [x, y].every((at) => Math.abs(at - (size - 7)) <= 2);
  const isFinder = (x: number, y: number) => (x < 9 && (y < 9 || y >= size - 8)) || (x >= size - 8 && y < 9);
  const isData = (x: number, y: number) => x !== 6 && y !== 6 && !isFinder(x, y) && !isAlignment(x, y);
  const columns = Array.from({ length: size }, (_, x) => x).filter((x) => x !== 6);
  let bits = "";
  for (let pair = columns.length / 2 - 1, isUpward = true; pair >= 0; pair -= 1, isUpward = !isUpward) {
    for (let i = 0; i < size; i += 1) {
      const y = isUpward ? size - 1 - i : i;
      for (const x of [columns[2 * pair + 1] ?? 0, columns[2 * pair] ?? 0]) {
        if (isData(x, y)) bits += Number((modules[y]?.[x] === true) !== ((x + y) % 2 === 0));
      }
    }
  }
  expect(bits.slice(0, 4), "byte mode").toBe("0100");
  const bytes = (bits.slice(4).match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2));
  const [length = 0, ...text] = bytes;
  return new TextDecoder().decode(Uint8Array.from(text.slice(0, length)));
}

describe("a QR code", () => {
  test.each([18, 32, 33, 53, 54, 78, 79, 106])("of %i bytes decodes to its content", (length) => {
    const text = "otpauth://totp/Ada ü".padEnd(length - 1, "secret=ABCDEFGH234");
    expect(read(qrCode(text))).toBe(text);
  });

  // Compared once with what other programs read.
  test.each([
    [200, 53, "71ddfbc79101aebe329e96f941cecd5e8440af18575c5b44b1700da69a5e03d3"],
    [400, 69, "c689e5090c3a99c062094a1891f7a01daf567a07efd427e56c1ff543a1575cd1"],
    [858, 97, "891e317f159bca23580d6f5a1b96967bc5cc7df058f675a9c36b6a55829701b9"],
  ])("of %i bytes has %i modules a side", (length, size, digest) => {
    const modules = qrCode("x".repeat(length));
    expect(modules).toHaveLength(size);
    const text = modules.map((row) => row.map(Number).join("")).join("\n");
    expect(createHash("sha256").update(text).digest("hex")).toBe(digest);
  });

  test("is refused for more bytes", () => {
    expect(() => qrCode("x".repeat(859))).toThrow(RangeError);
  });
});
