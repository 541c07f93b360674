import { expect, test } from "vitest";
import { isExcepted, parseOidc } from "#domain/oidc.ts";
import { identityOf, isSubject } from "#domain/oidc-claims.ts";

const verifiedBy = (emailVerified: unknown, trustsEmail: boolean): boolean =>
  identityOf(
    "subject",
    { email: "ada@people.example", email_verified: emailVerified },
    { issuer: "https://id.example/", trustsEmail, trustsMfa: false },
  ).isEmailVerified;

test.each([
  // Some providers send texts.
  ["false", false],
  ["False", false],
  [false, false],
  [0, false],
  [true, true],
  ["true", true],
  [undefined, true],
  [null, true],
])("with OIDC_TRUST_EMAIL, an address with email_verified %j counts as verified: %j", (sent, isVerified) => {
  expect(verifiedBy(sent, true)).toBe(isVerified);
});

test.each(["true", 1, {}, null, undefined, "false"])(
  "without OIDC_TRUST_EMAIL, an address counts as verified only with email_verified true, and not with %j",
  (sent) => {
    expect([verifiedBy(sent, false), verifiedBy(true, false)]).toEqual([false, true]);
  },
);

test("an OIDC email address is ignored if it contains a non-ASCII letter whose lower case is an ASCII letter", () => {
  const settings = { issuer: "https://id.example/", trustsEmail: false, trustsMfa: false };
  const emailOf = (email: string) => identityOf("subject", { email, email_verified: true }, settings).email;
  expect(emailOf("mar\u212a@people.example")).toBe(undefined);
  for (let point = 0x80; point <= 0x10ffff; point += 1) {
    const letter = String.fromCodePoint(point);
    if (/^[a-z]$/.test(letter.toLowerCase()))
      expect([letter, emailOf(`mar${letter}@people.example`)]).toEqual([letter, undefined]);
  }
});

test.each(["248289761001", "a|b", "Ä\u212a", "x".repeat(255)])(
  "the subject %j of an OIDC account is accepted",
  (subject) => {
    expect(isSubject(subject)).toBe(true);
  },
);

test.each(["", " ", "null", "undefined", "{{ user.id }}", "a\0b", "\ud800", "x".repeat(256)])(
  "the subject %j of an OIDC account is refused, because it may not distinguish people",
  (subject) => {
    expect(isSubject(subject)).toBe(false);
  },
);

test("an address in OIDC_EXCEPT is compared in the normalized form in which accounts store addresses", () => {
  const client = { OIDC_ISSUER: "https://id.example", OIDC_CLIENT_ID: "a", OIDC_CLIENT_SECRET: "b" };
  const settings = parseOidc({ ...client, OIDC_EXCEPT: "Ada@B\u00fccher.example, ben@people.example" });
  if (settings === undefined || "fault" in settings) throw new Error("the settings are malformed");
  for (const email of ["ada@xn--bcher-kva.example", "ada@b\u00fccher.example", "ben@people.example"])
    expect(isExcepted(settings, email), email).toBe(true);
  expect(isExcepted(settings, "eve@people.example")).toBe(false);
});
