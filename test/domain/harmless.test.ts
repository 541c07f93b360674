import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { lineInMail, nameInMail, referenceInMail } from "#domain/mail/harmless.ts";

const dots = [..."..。．｡․﹒︒۔܁܂᠃꘎", "\u{10a50}", "\u{1d16d}", "\u0660", "\u06f0", "\ua4f8"];
const colons = [...":：﹕︓︰∶꞉ꓽ։ː˸"];
const slashes = [..."/／∕⁄⧸╱⟋㇓"];
const word = fc.stringMatching(/^[a-z]{1,12}$/);

describe("a name made harmless for an email", () => {
  test("a name made harmless for an email has no dot between letters, nor a character that looks like one", () => {
    fc.assert(
      fc.property(word, fc.constantFrom(...dots), word, (host, dot, end) => {
        expect(nameInMail(`${host}${dot}${end}`)).toBe(`${host} ${end}`);
        expect(lineInMail(`At ${host}${dot}${end}!`)).toBe(`At ${host} ${end}!`);
      }),
    );
  });

  test("a name made harmless for an email has no URL scheme in any characters", () => {
    const pair = fc.tuple(fc.constantFrom(...slashes), fc.constantFrom(...slashes));
    fc.assert(
      fc.property(word, fc.constantFrom(...colons), pair, word, (scheme, colon, [one, other], host) => {
        expect(nameInMail(`${scheme}${colon}${one}${other}${host}`)).toBe(host);
      }),
    );
    for (const colon of colons) expect(nameInMail(`tel${colon}911`)).toBe("tel 911");
  });

  test("a name made harmless for an email has no phone number in any grouping or script", () => {
    const zeros = [0x30, 0x660, 0x6f0, 0x966, 0xff10, 0x1d7ce];
    const separator = fc.constantFrom("", "", " ", "\u00a0", "-", "–", ".", "/", ") ", " (", " - ");
    const digit = fc.tuple(fc.integer({ min: 0, max: 9 }), separator);
    const start = fc.constantFrom("", "+", "＋", "+ ", "(");
    const digits = fc.array(digit, { minLength: 9, maxLength: 15 });
    fc.assert(
      fc.property(start, fc.constantFrom(...zeros), digits, (sign, zero, all) => {
        const number = all.map(([n, after]) => `${String.fromCodePoint(zero + n)}${after}`).join("");
        expect(nameInMail(`Call ${sign}${number}`).match(/\p{Nd}/gu) ?? []).toEqual([]);
      }),
    );
    expect(nameInMail("Win at +49 9001234")).toBe("Win at …");
    expect(nameInMail("Call 0900 1234 now")).toBe("Call … now");
  });

  test("a name made harmless for an email is unchanged if it contains no dots between letters, no URL scheme and no phone number", () => {
    const plain = fc.stringMatching(/^[A-Za-zÀ-ž0-9]{1,4}([ &'’+-][A-Za-zÀ-ž]{1,10}){0,4}$/);
    fc.assert(
      fc.property(plain, (name) => {
        expect(nameInMail(name)).toBe(name);
      }),
    );
  });

  test.each([
    ...["Studio 54", "4x4 Reviews", "24/7 Deals", "Top 100 2024", "Season 2024/2025", "Sale 2026-11-29", "Route 66"],
    ...[
      "1,000,000 Deals",
      "Col·lectiu",
      "ジョン・スミス",
      "ノート/ペン",
      "Acme: the shop",
      "Dr. Ada & Co.",
      "10 Downing St.",
    ],
  ])("a name made harmless for an email is unchanged: %j", (name) => expect(nameInMail(name)).toBe(name));
});

test("the reference of a payment keeps its digits", () => {
  for (const reference of ["INV-20261031-001", "0900 1234567", "2026.05-EUR"])
    expect(referenceInMail(reference)).toBe(reference);
});
