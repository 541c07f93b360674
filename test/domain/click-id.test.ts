import { createHmac } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type ClickKeyRing,
  type ClickToken,
  erasedVersion,
  mintClickId,
  parseClickKeyRing,
  readClickId,
} from "#domain/click-id.ts";
import { isErasedClickId } from "#domain/erasure.ts";

const secret = (fill: number, bytes = 32): string => Buffer.alloc(bytes, fill).toString("base64url");

function ringOf(text: string): ClickKeyRing {
  const ring = parseClickKeyRing(text);
  if (ring === undefined) throw new Error(`no key ring: ${text}`);
  return ring;
}

const ring = ringOf(`7:${secret(7)}`);
const operationId = "0123456789abcdef";
const token: ClickToken = { programId: 12, isTest: false, linkId: 345, at: Date.parse("2026-05-01T12:00:00.123Z") };

const anyToken = fc.record({
  programId: fc.oneof(fc.integer({ min: 1, max: 1000 }), fc.integer({ min: 1, max: 2 ** 52 - 1 })),
  isTest: fc.boolean(),
  linkId: fc.oneof(fc.nat(1000), fc.nat(Number.MAX_SAFE_INTEGER)),
  at: fc.integer({ min: 0, max: 2 ** 48 - 1 }),
});
const anyOperationId = fc.stringMatching(/^[0-9a-f]{16}$/);

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

describe("click ids", () => {
  it("click ids are decoded to the token they were created from, and have at most 96 URL-safe characters", () => {
    fc.assert(
      fc.property(anyToken, anyOperationId, (made, id) => {
        const text = mintClickId(ring, made, id);
        expect(text).toMatch(/^[A-Za-z0-9_-]{1,96}$/);
        expect(readClickId(ring, text)).toEqual(made);
      }),
    );
  });

  it("click ids are equal for the same call, and differ if any part of the call differs", () => {
    const texts = [
      mintClickId(ring, token, operationId),
      mintClickId(ring, token, "0123456789abcdee"),
      mintClickId(ring, { ...token, isTest: true }, operationId),
      mintClickId(ring, { ...token, programId: 13 }, operationId),
      mintClickId(ring, { ...token, linkId: 0 }, operationId),
      mintClickId(ring, { ...token, at: token.at + 1 }, operationId),
    ];
    expect(mintClickId(ring, token, operationId)).toBe(texts[0]);
    expect(new Set(texts).size).toBe(texts.length);
  });

  it("click ids share a prefix if they are created one after another", () => {
    const [first, next] = [0, 900].map((later) => mintClickId(ring, { ...token, at: token.at + later }, operationId));
    expect(next?.slice(0, 8)).toBe(first?.slice(0, 8));
  });

  it("click ids are invalid if any character is changed, omitted, doubled or added", () => {
    const text = mintClickId(ring, token, operationId);
    for (let i = 0; i <= text.length; i++) {
      const [head, tail] = [text.slice(0, i), text.slice(i)];
      for (const character of alphabet) {
        if (character !== text[i]) expect(readClickId(ring, head + character + tail.slice(1))).toBeUndefined();
        expect(readClickId(ring, head + character + tail)).toBeUndefined();
      }
      if (tail !== "") expect(readClickId(ring, head + tail.slice(1))).toBeUndefined();
    }
  });

  it("click ids are invalid in any other encoding of the same bytes, such as base64 with padding", () => {
    // Finds an id with a character that differs between base64 and base64url.
    const texts = Array.from({ length: 64 }, (_, i) => mintClickId(ring, { ...token, at: token.at + i }, operationId));
    const spelled = texts.find((text) => /[-_]/.test(text)) ?? "";
    const standard = spelled.replaceAll("-", "+").replaceAll("_", "/");
    expect(Buffer.from(standard, "base64")).toEqual(Buffer.from(spelled, "base64url"));
    for (const other of [standard, `${spelled}=`, `${spelled}==`, ` ${spelled}`, `${spelled}\n`, `${spelled}!`]) {
      expect(readClickId(ring, other)).toBeUndefined();
    }
    expect(readClickId(ring, spelled)).toBeDefined();
  });

  it("click ids are never decoded from random text of any length", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.uint8Array({ maxLength: 72 }).map(asText)), (text) => {
        expect(readClickId(ring, text)).toBeUndefined();
      }),
    );
    for (let length = 0; length < 64; length++) {
      expect(readClickId(ring, Buffer.from([1, 7, ...new Uint8Array(length)]).toString("base64url"))).toBeUndefined();
    }
  });

  it("click ids with another version or layout are invalid, even if their signature is valid", () => {
    const signed = Buffer.from(mintClickId(ring, token, operationId), "base64url").subarray(0, -16);
    const resign = (bytes: Uint8Array): string => {
      const mac = createHmac("sha256", Buffer.alloc(32, 7)).update(bytes).digest().subarray(0, 16);
      return Buffer.concat([bytes, mac]).toString("base64url");
    };
    expect(readClickId(ring, resign(signed))).toEqual(token);
    expect(readClickId(ring, resign(Buffer.concat([Buffer.of(3), signed.subarray(1)])))).toBeUndefined();
    expect(readClickId(ring, resign(Buffer.concat([signed, Buffer.of(0)])))).toBeUndefined();
    expect(readClickId(ring, resign(signed.subarray(0, -1)))).toBeUndefined();
    expect(readClickId(ring, resign(Buffer.of(1, 7)))).toBeUndefined();
    expect(readClickId(ring, resign(Buffer.concat([signed.subarray(0, 8), Buffer.alloc(40, 255)])))).toBeUndefined();
  });

  it("click ids that replace erased ids can be decoded too, and can be distinguished from original click ids", () => {
    const erased = mintClickId(ring, token, operationId, erasedVersion);
    expect(readClickId(ring, erased)).toEqual(token);
    expect([erased, mintClickId(ring, token, operationId)].map(isErasedClickId)).toEqual([true, false]);
  });

  it("click ids are verified with any key of the key ring, also a retired one, and not with an unknown key", () => {
    const old = mintClickId(ring, token, operationId);
    const rotated = ringOf(`8:${secret(8)},7:${secret(7)}`);
    expect(readClickId(rotated, old)).toEqual(token);
    expect(readClickId(ringOf(`8:${secret(8)}`), old)).toBeUndefined();
    expect(readClickId(ringOf(`7:${secret(9)}`), old)).toBeUndefined();

    const fresh = mintClickId(rotated, token, operationId);
    expect(readClickId(ring, fresh)).toBeUndefined();
    expect(readClickId(ringOf(`8:${secret(8)}`), fresh)).toEqual(token);
  });

  it("click ids can't be created from invalid values or an invalid operation id", () => {
    const wrong: readonly ClickToken[] = [
      { ...token, programId: 0 },
      { ...token, programId: 2 ** 53 },
      { ...token, linkId: -1 },
      { ...token, linkId: 0.5 },
      { ...token, at: 2 ** 48 },
      { ...token, at: Number.NaN },
    ];
    for (const made of wrong) expect(() => mintClickId(ring, made, operationId)).toThrow(RangeError);
    for (const id of ["", "0123456789abcde", "0123456789abcdeg", "0123456789abcdef0"]) {
      expect(() => mintClickId(ring, token, id)).toThrow(RangeError);
    }
  });
});

describe("parseClickKeyRing", () => {
  it.each([`0:${secret(1)}`, `255:${secret(1, 64)}`, `2:${secret(2)},1:${secret(1)},0:${secret(0)}`])(
    "parseClickKeyRing accepts %s",
    (text) => {
      expect(parseClickKeyRing(text)).toBeDefined();
    },
  );

  it.each([
    ["empty", ""],
    ["a key without an id", secret(1)],
    ["a key without a secret", "1:"],
    ["a secret of 31 bytes", `1:${secret(1, 31)}`],
    ["an id with a leading zero", `01:${secret(1)}`],
    ["an id larger than a byte", `256:${secret(1)}`],
    ["a negative id", `-1:${secret(1)}`],
    ["a duplicate id", `1:${secret(1)},1:${secret(2)}`],
    ["a trailing comma", `1:${secret(1)},`],
    ["a space", `1:${secret(1)}, 2:${secret(2)}`],
    ["padding", `1:${Buffer.alloc(32, 1).toString("base64")}`],
    ["unused bits that aren't zero", `1:${secret(1).slice(0, -1)}F`],
  ])("parseClickKeyRing rejects %s", (_, text) => {
    expect(parseClickKeyRing(text)).toBeUndefined();
  });
});

function asText(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64url");
}
