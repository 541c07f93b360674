import { expect, test } from "vitest";
import {
  type CouponLine,
  couponOfPattern,
  faultOfPattern,
  faultsOf,
  parseCouponList,
} from "../../dashboard/src/forms/coupon-lines.ts";

const anna = { code: "anna-blog", name: "Anna Bergström" };

test.each([
  ["{CODE}10", "ANNA-BLOG10"],
  ["{code}10", "anna-blog10"],
  ["{NAME}", "ANNABERGSTROM"],
  ["{first}-{CODE}", "anna-ANNA-BLOG"],
  [" SAVE{FIRST} ", "SAVEANNA"],
])("the coupon pattern %s creates the code %s", (pattern, code) => {
  expect(faultOfPattern(pattern)).toBeUndefined();
  expect(couponOfPattern(pattern, anna)).toBe(code);
});

test.each(["", "SAVE10", "{WHO}10", "{Code}10", "{toString}", "{CODE}{", "CODE}10", "{}"])(
  "the coupon pattern %j is refused",
  (pattern) => {
    expect(faultOfPattern(pattern)).toBeDefined();
  },
);

test.each([
  ["パートナー", "パートナー10"],
  ["🎉🎉", ""],
  ["   ", ""],
  ["=cmd|' /C calc'!A0", "CMDCCALCA010"],
  ["\u202eevil", "EVIL10"],
  ["محمد علي", "محمدعلي10"],
  ["<b>x</b>", "BXB10"],
])("a partner with the name %j gets the coupon code %j", (name, code) => {
  expect(couponOfPattern("{NAME}10", { ...anna, name })).toBe(code);
});

test("a placeholder in a partner's name isn't replaced when a coupon pattern contains the name", () => {
  expect(couponOfPattern("{NAME}-{CODE}", { code: "$&", name: "{CODE}" })).toBe("CODE-$&");
});

const lines = (text: string) => parseCouponList(text).map(({ line, code, partner }) => [line, code, partner]);

test.each(["\t", ",", ";", ", "])("a coupon list with %j between the cells can be read", (separator) => {
  const text = ["Code", "Partner"].join(separator) + ["\r\nA10", "anna\r\n\r\nB10", '"bob"\n'].join(separator);
  expect(lines(text)).toEqual([
    [2, "A10", "anna"],
    [4, "B10", "bob"],
  ]);
});

test("a coupon list's first line that isn't a header is read as a coupon", () => {
  expect(lines("CODE,anna")).toEqual([[1, "CODE", "anna"]]);
  expect(lines("")).toEqual([]);
});

test("duplicate and unusable lines of a coupon list are found before the list is sent", () => {
  const text = `A10,anna\na10,bob\nA １0,anna\n,anna\nB10\nＡ10,cy\nC10,anna,more\n${"x".repeat(65)},anna`;
  expect([...faultsOf(parseCouponList(text))]).toEqual([
    [2, "Line 1 has the same code."],
    [3, "Use up to 64 printable characters without spaces."],
    [4, "No code."],
    [5, "No partner."],
    [6, "Line 1 has the same code."],
    [8, "The code is too long: use up to 64 characters."],
  ]);
});

test("the error for a duplicate coupon code names the partner who already has the code in the list, with that partner's own code", () => {
  const [first, second] = ["same1", "same2"].map((partner, i) => ({
    ...{ line: i + 1, code: "SAME10", partner, partnerName: "Same Name" },
  })) as [CouponLine, CouponLine];
  expect([...faultsOf([first, second])]).toEqual([[2, "Same Name (same1) has the same code."]]);
});
