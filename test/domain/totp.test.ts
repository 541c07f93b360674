import { describe, expect, test } from "vitest";
import { base32 } from "#domain/base32.ts";
import { hashRecoveryCode, isRecoveryCode, recoveryCode } from "#domain/recovery-code.ts";
import { matchingStep, totpCode, totpStepAt, totpUri } from "#domain/totp.ts";

const secret = Buffer.from("12345678901234567890");

describe("a one-time password", () => {
  // From RFC 6238, appendix B, shortened to six digits.
  test.each([
    [59, "287082"],
    [1_111_111_109, "081804"],
    [1_111_111_111, "050471"],
    [1_234_567_890, "005924"],
    [2_000_000_000, "279037"],
    [20_000_000_000, "353130"],
  ])("a one-time password at %i seconds after the epoch is %s", (seconds, code) => {
    expect(totpCode(secret, totpStepAt(seconds * 1000))).toBe(code);
  });

  test("a one-time password matches RFC 4226, appendix D, for each of the first ten steps", () => {
    const codes = Array.from({ length: 10 }, (_, step) => totpCode(secret, step));
    const first = ["755224", "287082", "359152", "969429", "338314"];
    expect(codes).toEqual([...first, "254676", "287922", "162583", "399871", "520489"]);
  });

  test("a one-time password is accepted one step early and one step late", () => {
    const at = 1_234_567_890_000;
    const step = totpStepAt(at);
    const accepted = [-2, -1, 0, 1, 2].map((offset) => matchingStep(secret, totpCode(secret, step + offset), at, 0));
    expect(accepted).toEqual([undefined, step - 1, step, step + 1, undefined]);
  });

  test("a one-time password is rejected if the code of the same step or of a later step was used before", () => {
    const at = 1_234_567_890_000;
    const step = totpStepAt(at);
    const code = totpCode(secret, step);
    expect([step - 1, step, step + 1].map((last) => matchingStep(secret, code, at, last))).toEqual([
      step,
      undefined,
      undefined,
    ]);
  });

  test.each(["", "28708", "2870822", "abcdef", "２８７０８２"])(
    "a one-time password of the wrong form is rejected: %j",
    (code) => {
      expect(matchingStep(secret, code, 59_000, 0)).toBeUndefined();
    },
  );
});

test("the URI for an authenticator app contains the secret, the service and the account", () => {
  const uri = new URL(totpUri(secret, { issuer: "tracker.example:8787", account: "ada+1@people.example" }));
  expect(uri.href).toMatch(/^otpauth:\/\/totp\/tracker\.example%3A8787:ada%2B1%40people\.example\?/);
  expect(Object.fromEntries(uri.searchParams)).toEqual({
    secret: "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ",
    issuer: "tracker.example:8787",
    algorithm: "SHA1",
    digits: "6",
    period: "30",
  });
});

// From RFC 4648, section 10, without padding.
test.each([
  ["", ""],
  ["f", "MY"],
  ["fo", "MZXQ"],
  ["foo", "MZXW6"],
  ["foob", "MZXW6YQ"],
  ["fooba", "MZXW6YTB"],
  ["foobar", "MZXW6YTBOI"],
])("the Base32 form of %j is %s", (text, encoded) => {
  expect(base32(Buffer.from(text))).toBe(encoded);
});

describe("a recovery code", () => {
  const code = recoveryCode(Buffer.from("0123456789"));

  test("a recovery code has four groups of four characters", () => {
    expect(code).toMatch(/^(?:[a-z2-7]{4}-){3}[a-z2-7]{4}$/);
  });

  test("a recovery code is accepted in either case, with or without its separators", () => {
    const spellings = [code, code.toUpperCase(), code.replaceAll("-", ""), ` ${code.replaceAll("-", " ")} `];
    expect(new Set(spellings.map(hashRecoveryCode)).size).toBe(1);
    expect(spellings.every(isRecoveryCode)).toBe(true);
    expect(hashRecoveryCode(recoveryCode(Buffer.from("1123456789")))).not.toBe(hashRecoveryCode(code));
  });

  test.each(["", "123456", `${code}a`, "gayt-emzu"])("a recovery code of the wrong form is rejected: %j", (text) => {
    expect(isRecoveryCode(text)).toBe(false);
  });
});
