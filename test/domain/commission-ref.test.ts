import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { expect, it } from "vitest";
import { encryptedRefs } from "#domain/commission-ref.ts";
import { idsPerRange, maxShard } from "#domain/shard.ts";

const highest = idsPerRange * (maxShard + 1);
const refs = encryptedRefs(randomBytes(32));
const ids = fc.oneof(
  fc.integer({ min: 1, max: highest }),
  fc.integer({ min: 0, max: 999 }).map((shard) => shard * idsPerRange + 1),
);

it("a commission's reference has 10 characters, and decodes to the commission's id in upper and lower case", () => {
  fc.assert(
    fc.property(ids, (id) => {
      const ref = refs.refOf(id);
      expect(ref).toMatch(/^[A-Z2-7]{10}$/);
      expect([refs.idOf(ref), refs.idOf(ref.toLowerCase())]).toEqual([id, id]);
    }),
  );
});

it("each text of the right form is the reference of exactly one commission id", () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[A-Z2-7]{10}$/), (text) => {
      const id = refs.idOf(text) ?? expect.unreachable();
      expect(id).toBeLessThan(2 ** 50);
      expect(refs.refOf(id)).toBe(text);
    }),
  );
});

it("references of commissions don't reveal the order of ids, and differ by key", () => {
  const some = Array.from({ length: 1_000 }, (_, i) => refs.refOf(5_000_000 + i));
  const rising = some.filter((ref, i) => i > 0 && ref > (some[i - 1] ?? "")).length;
  expect(Math.abs(rising - 500)).toBeLessThan(75);
  for (const at of Array.from({ length: 10 }, (_, i) => i)) {
    expect(new Set(some.map((ref) => ref[at])).size).toBe(32);
  }
  const others = encryptedRefs(randomBytes(32));
  expect(some.filter((ref, i) => others.refOf(5_000_000 + i) === ref)).toEqual([]);
});

it("references of commissions stay the same across releases, because partners may have quoted them", () => {
  const fixed = encryptedRefs(Buffer.alloc(32, 7));
  expect([1, 2, 999_999_999_999_999].map(fixed.refOf)).toMatchInlineSnapshot(`
    [
      "UP4UBE2S2V",
      "TB3Q7LYZU3",
      "EWAFMXEGNO",
    ]
  `);
});

it.each(["", "ABCDEFGHI", "ABCDEFGHIJK", "ABCDEFGHI1", "ABCDEFGH J", "ÀBCDEFGHIJ"])(
  "%j isn't the reference of a commission",
  (text) => {
    expect(refs.idOf(text)).toBeUndefined();
  },
);
