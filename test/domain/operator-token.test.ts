import { expect, test } from "vitest";
import { isOperatorToken, mintOperatorToken } from "#domain/operator-token.ts";

const secret = "the token of a database";
const until = Date.UTC(2026, 10, 22);
const token = mintOperatorToken(secret, until);

test("a token is valid until its expiry, for the secret that it was made with", () => {
  expect(isOperatorToken(secret, token, until - 1)).toBe(true);
  expect(isOperatorToken(secret, token, until)).toBe(false);
  expect(isOperatorToken(`${secret}s`, token, until - 1)).toBe(false);
  expect(token).not.toContain(secret);
});

test("no character of a token can be changed, and its expiry can't be extended", () => {
  for (let i = 0; i < token.length; i += 1) {
    const other = token[i] === "a" ? "b" : "a";
    // Two bits of the last base64url character are unused.
    if (i === token.length - 1) continue;
    expect(isOperatorToken(secret, token.slice(0, i) + other + token.slice(i + 1), until - 1), `at ${i}`).toBe(false);
  }
  const later = mintOperatorToken(secret, until + 1).split("_")[1];
  expect(isOperatorToken(secret, token.replace(/_[^_]+_/, `_${later}_`), until)).toBe(false);
});

test.each(["", "op__", "op_1_", `${token}x`, `x${token}`, `${token}\n`, "svc_1_x"])("%j is not a token", (text) => {
  expect(isOperatorToken(secret, text, 0)).toBe(false);
});
