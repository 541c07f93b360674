import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { expect, it } from "vitest";
import { commissionRefs } from "#domain/commission-ref.ts";
import { idsPerRange, maxShard } from "#domain/shard.ts";

const highest = idsPerRange * (maxShard + 1);
const refs = commissionRefs(randomBytes(32));
const ids = fc.oneof(
  fc.integer({ min: 1, max: highest }),
  fc.integer({ min: 0, max: 999 }).map((shard) => shard * idsPerRange + 1),
);

it("is 10 characters, and leads back to the id, in either case", () => {
  fc.assert(
    fc.property(ids, (id) => {
      const ref = refs.refOf(id);
      expect(ref).toMatch(/^[A-Z2-7]{10}$/);
      expect([refs.idOf(ref), refs.idOf(ref.toLowerCase())]).toEqual([id, id]);
    }),
  );
});

it("has a ref for every text in its form: none is another's too", () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[A-Z2-7]{10}$/), (text) => {
      const id = refs.idOf(text) ?? expect.unreachable();
      expect(id).toBeLessThan(2 ** 50);
      expect(refs.refOf(id)).toBe(text);
    }),
  );
});

it("says nothing of the order of ids, and differs by key", () => {
  const some = Array.from({ length: 1_000 }, (_, i) => refs.refOf(5_000_000 + i));
  const rising = some.filter((ref, i) => i > 0 && ref > (some[i - 1] ?? "")).length;
  expect(Math.abs(rising - 500)).toBeLessThan(75);
  for (const at of Array.from({ length: 10 }, (_, i) => i)) {
    expect(new Set(some.map((ref) => ref[at])).size).toBe(32);
  }
  const others = commissionRefs(randomBytes(32));
  expect(some.filter((ref, i) => others.refOf(5_000_000 + i) === ref)).toEqual([]);
});

it("keeps what it gave: partners have quoted it", () => {
  const fixed = commissionRefs(Buffer.alloc(32, 7));
  expect([1, 2, 999_999_999_999_999].map(fixed.refOf)).toMatchInlineSnapshot(`
    [
      "UP4UBE2S2V",
      "TB3Q7LYZU3",
      "EWAFMXEGNO",
    ]
  `);
});

it.each(["", "ABCDEFGHI", "ABCDEFGHIJK", "ABCDEFGHI1", "ABCDEFGH J", "ÀBCDEFGHIJ"])("%j is none", (text) => {
  expect(refs.idOf(text)).toBeUndefined();
});
