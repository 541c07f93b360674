import { expect, test, vi } from "vitest";
import { parseHash } from "#domain/password-hash.ts";
import { deriveKey } from "#http/derive-key.ts";
import { hashPassword, verifyPassword } from "#http/password-hashes.ts";

test("a password's hash contains its algorithm and cost, and verifies only this password", async () => {
  const hash = await hashPassword("Ångström 1", deriveKey);
  expect(hash).toMatch(/^\$scrypt\$ln=14,r=16,p=1\$[\w+/]{22}==\$[\w+/]{86}==$/);
  expect(await verifyPassword(hash, "Ångström 1".normalize("NFD"), deriveKey)).toBe(true);
  expect(await verifyPassword(hash, "Ångström 2", deriveKey)).toBe(false);
  expect(await hashPassword("Ångström 1", deriveKey)).not.toBe(hash);
});

test("a password is verified with the cost stored in its hash", async () => {
  const derive = vi.fn(deriveKey);
  const key = await deriveKey({ N: 16, r: 8, p: 1, password: "a", salt: "AAAA", keyBytes: 32 });
  expect(await verifyPassword(`$scrypt$ln=4,r=8,p=1$AAAA$${key}`, "a", derive)).toBe(true);
  expect(derive).toHaveBeenCalledWith({ N: 16, r: 8, p: 1, password: "a", salt: "AAAA", keyBytes: 32 });
});

test("verifying a password without a hash, or with an invalid hash, fails and takes as long as with a valid hash", async () => {
  const derive = vi.fn(deriveKey);
  for (const hash of [undefined, "", "$scrypt$ln=14,r=16,p=1$AAAA", "0123:4567"]) {
    expect(await verifyPassword(hash, "a", derive)).toBe(false);
    expect(derive).toHaveBeenLastCalledWith(expect.objectContaining({ N: 2 ** 14, r: 16, p: 1, keyBytes: 64 }));
  }
  expect(derive).toHaveBeenCalledTimes(4);
  expect(parseHash("$scrypt$ln=99,r=16,p=1")).toBeUndefined();
});
