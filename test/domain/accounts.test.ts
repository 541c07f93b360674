import { describe, expect, test } from "vitest";
import { accountName, parseAccount, parseIban } from "#domain/payee-account.ts";

describe("an IBAN", { tags: "finding" }, () => {
  test.each([
    "DE89370400440532013000",
    "gb82 WEST 1234 5698 7654 32",
    "MT84MALT011000012345MTLCAST001S",
    "AE070331234567890123456",
  ])("the IBAN %s is valid", (text) => expect(parseIban(text)).toBe(text.replaceAll(" ", "").toUpperCase()));

  test.each([
    ["a letter where the country has digits", "DE0537040044053201300A"],
    ["a digit where the country has letters", "GB25123412345698765432"],
    ["impossible check digits", "DE99370400440000000024"],
    ["check digits 00", "DE00370400440000000060"],
    ["a wrong check digit", "DE88370400440532013000"],
    ["one digit too many", "DE893704004405320130000"],
  ])("an IBAN with %s is rejected", (_, text) => expect(parseIban(text)).toBeUndefined());
});

test.each([
  "mailto:ada@pay.example",
  "ada@pay.example\u2060",
  "ａda@pay.example",
  "Ada <ada@pay.example>",
  "a@b.example,c@d.example",
])("%s isn't a PayPal or Wise account", { tags: "finding" }, (text) => {
  expect(parseAccount("paypal", text)).toBeUndefined();
  expect(parseAccount("wise", text)).toBeUndefined();
});

test.each([
  ["IBAN DE89 3704 0044 0532 0130 00", "DE89370400440532013000"],
  ["Cash  1234-5678", "cash 12345678"],
  ["PayPal: Zed@x.example", "zed@x.example"],
  ["zed@x.example\u200B", "zed@x.example"],
  ["ｚed@x.example", "zed@x.example"],
])("the payment account %s is normalized to %s", { tags: "finding" }, (text, same) =>
  expect(accountName(text)).toBe(accountName(same)),
);

test.each([
  ["a-b@x.example", "ab@x.example"],
  ["a+1@x.example", "a@x.example"],
  ["cash 12", "cash 1"],
])("the payment account %s isn't normalized to %s", (text, other) =>
  expect(accountName(text)).not.toBe(accountName(other)),
);
