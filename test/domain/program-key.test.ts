import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  hashProgramKey,
  keyState,
  maskProgramKey,
  maxGraceHours,
  mintProgramKey,
  type RotatableKey,
  readProgramKey,
  recognizedKey,
  rotation,
} from "#domain/program-key.ts";

const programId = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER });
const random = fc.uint8Array({ minLength: 32, maxLength: 32 });
const hour = 3_600_000;
const now = Date.parse("2026-05-01T00:00:00Z");

describe("program keys", () => {
  it("program keys contain the id of their program", () => {
    fc.assert(
      fc.property(programId, random, (id, bytes) => {
        const key = mintProgramKey(id, bytes);
        expect(key).toMatch(/^svc_[0-9a-z]+_[A-Za-z0-9_-]{43}$/);
        expect(readProgramKey(key)).toEqual({ programId: id });
      }),
    );
  });

  it("program keys contain 256 random bits", () => {
    const key = mintProgramKey(
      36,
      Uint8Array.from({ length: 32 }, (_, i) => 255 - i),
    );
    expect(key.slice(0, 7)).toBe("svc_10_");
    expect([...Buffer.from(key.slice(7), "base64url")]).toEqual(Array.from({ length: 32 }, (_, i) => 255 - i));
    expect(() => mintProgramKey(1, new Uint8Array(31))).toThrow(RangeError);
  });

  const body = "A".repeat(43);
  it.each([
    "",
    body,
    `svc_${body}`,
    `svc__${body}`,
    `svc_0_${body}`,
    `svc_01_${body}`,
    `svc_A_${body}`,
    `svc_-1_${body}`,
    `svc_zzzzzzzzzzz_${body}`,
    `svc_${(2 ** 53).toString(36)}_${body}`,
    `SVC_1_${body}`,
    `svc_1_${body}A`,
    `svc_1_${body.slice(1)}`,
    `svc_1_${body.slice(1)}B`,
    `svc_1_${body.slice(1)}=`,
    ` svc_1_${body}`,
    `svc_1_${body}\n`,
  ])("the text %j isn't a program key", (text) => {
    expect(readProgramKey(text)).toBeUndefined();
  });

  it("program keys are stored as SHA-256 in lower-case hex", () => {
    expect(hashProgramKey("abc")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  });

  it("program keys are displayed by their last four characters", () => {
    expect(maskProgramKey(1, "abcd")).toBe("svc_1_••••abcd");
    expect(maskProgramKey(71, "abcd")).toBe("svc_1z_••••abcd");
  });
});

describe("keyState", () => {
  it.each([
    [null, { state: "live" }],
    [now + 1, { state: "retiring", retiresAt: now + 1 }],
    [now, { state: "retired", retiredAt: now }],
    [now - 1, { state: "retired", retiredAt: now - 1 }],
  ])("keyState returns the state of a key with the deadline %j", (retiresAt, expected) => {
    expect(keyState({ retiresAt }, now)).toEqual(expected);
  });

  it.each([
    ["since its program was archived", null, now - 1, now - 1],
    ["since its program was archived, before the key's deadline", now + 1, now - 1, now - 1],
    ["since its deadline, before its program was archived", now - 2, now - 1, now - 2],
    ["if its program was archived after the call was sent", null, now + 1, now + 1],
  ])("keyState returns that a key is retired %s", (_what, retiresAt, archivedAt, retiredAt) => {
    expect(keyState({ retiresAt }, now, archivedAt)).toEqual({ state: "retired", retiredAt });
  });
});

describe("an issued key", () => {
  const keyOf = (id: number, retiresAt: number | null) => ({ id, hash: `h${id}`, createdAt: 0, retiresAt });
  const retired = Array.from({ length: 60 }, (_, i) => keyOf(i, now - hour + Math.floor(i / 2)));
  const keys = [...retired, keyOf(60, now + hour), keyOf(61, null)];
  const recognized = (at: number, given = keys) =>
    keys.filter(({ hash }) => recognizedKey(given, hash, at) !== undefined).map(({ id }) => id);

  it("an issued key is recognized while it is live, and after that until 50 more keys have been retired", () => {
    const last = (count: number, upTo: number) => Array.from({ length: count }, (_, i) => upTo - count + 1 + i);
    expect(recognized(now)).toEqual([...last(50, 59), 60, 61]);
    expect(recognized(now + hour)).toEqual([...last(50, 60), 61]);
    expect(recognized(now, keys.toReversed())).toEqual([...last(50, 59), 60, 61]);
  });
});

describe("a key rotation", () => {
  const only: RotatableKey = { id: 1, createdAt: now - hour, retiresAt: null };

  it.each([
    ["24 hours by default", null, now + 24 * hour],
    ["no time for 0 hours", 0, now],
    ["the requested hours", 1.5, now + 1.5 * hour],
    ["at most 30 days", 100_000, now + 720 * hour],
    ["no time for a negative number", -1, now],
  ])("a key rotation keeps the previous key valid for %s", (_, graceHours, retiresAt) => {
    expect(rotation([only], graceHours, now)).toEqual({ retire: [{ id: 1, retiresAt }], previousRetiresAt: retiresAt });
  });

  it("a key rotation immediately ends the older of two live keys, whatever the order in which the keys are listed", () => {
    const older: RotatableKey = { id: 9, createdAt: now - 2 * hour, retiresAt: now + hour };
    for (const keys of [
      [older, only],
      [only, older],
    ]) {
      expect(rotation(keys, null, now).retire).toEqual([
        { id: 1, retiresAt: now + 24 * hour },
        { id: 9, retiresAt: now },
      ]);
    }
  });

  it("a key rotation doesn't extend the deadline of a key, and shortens it if requested", () => {
    const retiring: RotatableKey = { ...only, retiresAt: now + hour };
    expect(rotation([retiring], 24, now)).toEqual({ retire: [], previousRetiresAt: now + hour });
    expect(rotation([retiring], 0, now)).toEqual({ retire: [{ id: 1, retiresAt: now }], previousRetiresAt: now });
  });

  it("a key rotation retires no key if none is live", () => {
    const nothing = { retire: [], previousRetiresAt: now };
    expect(rotation([], 24, now)).toEqual(nothing);
    expect(rotation([{ ...only, retiresAt: now }], 24, now)).toEqual(nothing);
  });

  it("a key rotation never leaves more than two live keys and never revives a retired key", () => {
    const turn = fc.record({
      graceHours: fc.option(fc.integer({ min: 0, max: maxGraceHours }), { nil: null }),
      wait: fc.nat(40 * 24 * hour),
    });
    fc.assert(
      fc.property(fc.array(turn, { minLength: 1, maxLength: 12 }), (turns) => {
        let at = now;
        let keys: RotatableKey[] = [{ id: 0, createdAt: at, retiresAt: null }];
        for (const { graceHours, wait } of turns) {
          at += wait;
          const before = keys;
          const { retire, previousRetiresAt } = rotation(keys, graceHours, at);
          const deadlines = new Map(retire.map(({ id, retiresAt }) => [id, retiresAt]));
          keys = keys.map((key) => ({ ...key, retiresAt: deadlines.get(key.id) ?? key.retiresAt }));
          keys.push({ id: keys.length, createdAt: at, retiresAt: null });

          const live = keys.filter((key) => keyState(key, at).state !== "retired");
          expect(live.length).toBeLessThanOrEqual(2);
          expect(live.filter(({ retiresAt }) => retiresAt === null)).toHaveLength(1);
          expect(keys.at(-2)?.retiresAt).toBe(previousRetiresAt);
          for (const key of before) {
            const deadline = keys[key.id]?.retiresAt ?? Number.POSITIVE_INFINITY;
            expect(deadline).toBeLessThanOrEqual(key.retiresAt ?? Number.POSITIVE_INFINITY);
          }
        }
      }),
    );
  });
});
