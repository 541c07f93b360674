import { describe, expect, test } from "vitest";
import { type DataKeyRing, parseDataKeys } from "#domain/data-keys.ts";
import { type DataContext, decryptData, encryptData, keyIdOf } from "#domain/encrypted-data.ts";

const key = (id: number, fill: number, bytes = 32): string =>
  `${id}:${Buffer.alloc(bytes, fill).toString("base64url")}`;

function ringOf(text: string): DataKeyRing {
  const ring = parseDataKeys(text);
  if (ring === undefined) throw new Error(`no key ring: ${text}`);
  return ring;
}

const ring = ringOf(key(1, 1));
const context: DataContext = { purpose: "totp-secret", rowId: "user-1" };
const iv = new Uint8Array(12).fill(3);

describe("encrypted data", () => {
  test("encrypted data is decrypted with its key, and contains the key's id", async () => {
    const encrypted = await encryptData(ring, context, "a secret – ünïcode", iv);
    expect(encrypted).not.toContain("secret");
    expect(keyIdOf(encrypted)).toBe(1);
    expect(await decryptData(ring, context, encrypted)).toBe("a secret – ünïcode");
  });

  test("data is encrypted with the first key of the ring, and decrypted with any key of the ring", async () => {
    const old = await encryptData(ring, context, "kept", iv);
    const rotated = ringOf(`${key(2, 2)},${key(1, 1)}`);
    expect(await decryptData(rotated, context, old)).toBe("kept");
    expect(keyIdOf(await encryptData(rotated, context, "new", iv))).toBe(2);
    expect(await decryptData(ringOf(key(2, 2)), context, old)).toBeUndefined();
    expect(await decryptData(ringOf(key(1, 9)), context, old)).toBeUndefined();
  });

  test("encrypted data can't be decrypted after it was altered or moved to another row", async () => {
    const encrypted = await encryptData(ring, context, "mine", iv);
    expect(await decryptData(ring, { ...context, rowId: "user-2" }, encrypted)).toBeUndefined();
    for (const at of [2, 5, 20, 24, 30]) {
      const other = encrypted[at] === "A" ? "B" : "A";
      const altered = encrypted.slice(0, at) + other + encrypted.slice(at + 1);
      expect(await decryptData(ring, context, altered), `at ${at}`).toBeUndefined();
    }
  });

  test.each(["", "1", "1..", "x.AAAA.AAAA", "9.AAAA.AAAA", "1.AAAA.AAAA"])("%j isn't encrypted data", async (text) => {
    expect(await decryptData(ring, context, text)).toBeUndefined();
  });

  test("encrypted data requires an initialization vector of 12 bytes", async () => {
    await expect(encryptData(ring, context, "x", new Uint8Array(11))).rejects.toThrow(RangeError);
  });
});

test.each([
  ["", "nothing"],
  [key(256, 1), "an id above 255"],
  [`${key(1, 1)},${key(1, 2)}`, "a repeated id"],
  [key(1, 1, 31), "31 bytes"],
  [key(1, 1, 33), "33 bytes"],
  [`${key(1, 1)},`, "an empty entry"],
  [`${key(1, 1)}=`, "padding"],
])("the data keys %j are rejected: %s", (text) => {
  expect(parseDataKeys(text)).toBeUndefined();
});
