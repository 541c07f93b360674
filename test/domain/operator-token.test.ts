import { expect, test } from "vitest";
import { isBodyOfToken, isOperatorToken, mintOperatorToken } from "#domain/operator-token.ts";

const secret = "the token of a database";
const until = Date.UTC(2026, 10, 22);
const call = { method: "POST", path: "/api/operator/spill/discard?shard=1" };
const body = '{"ids":[1]}';
const token = mintOperatorToken(secret, call, body, until);

test("an operator's token is valid until it expires, and only for the secret that signed it", () => {
  expect(isOperatorToken(secret, call, token, until - 1)).toBe(true);
  expect(isOperatorToken(secret, call, token, until)).toBe(false);
  expect(isOperatorToken(`${secret}s`, call, token, until - 1)).toBe(false);
  expect(token).not.toContain(secret);
});

test("an operator's token is valid for one method, path, query and body", () => {
  for (const other of [{ method: "GET" }, { path: "/api/operator/spill/retry" }, { path: `${call.path}0` }]) {
    expect(isOperatorToken(secret, { ...call, ...other }, token, until - 1), JSON.stringify(other)).toBe(false);
  }
  expect(isBodyOfToken(token, body)).toBe(true);
  for (const other of ["", '{"ids":[2]}', `${body} `]) expect(isBodyOfToken(token, other), other).toBe(false);
  const ofOther = mintOperatorToken(secret, call, '{"ids":[2]}', until).split(".")[1] ?? "";
  expect(isOperatorToken(secret, call, token.replace(/\.[^.]+\./, `.${ofOther}.`), until - 1)).toBe(false);
});

test("an operator's token is invalid if a character or the expiry is changed", () => {
  for (let i = 0; i < token.length; i += 1) {
    const other = token[i] === "a" ? "b" : "a";
    // Two bits of the last base64url character are unused, so changing it may keep the same bytes.
    if (i === token.length - 1) continue;
    const changed = token.slice(0, i) + other + token.slice(i + 1);
    expect(isOperatorToken(secret, call, changed, until - 1), `at ${i}`).toBe(false);
  }
  const later = mintOperatorToken(secret, call, body, until + 1).split(".")[0] ?? "";
  expect(isOperatorToken(secret, call, token.replace(/^[^.]+/, later), until)).toBe(false);
});

test.each(["", "op_..", "op_1.", `${token}x`, `x${token}`, `${token}\n`, "svc_1_x"])(
  "%j isn't an operator's token",
  (text) => {
    expect(isOperatorToken(secret, call, text, 0)).toBe(false);
    expect(isBodyOfToken(text, "")).toBe(false);
  },
);
