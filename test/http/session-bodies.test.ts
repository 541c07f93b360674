import { describe, expect, test } from "vitest";
import { service } from "./service.ts";

const path = "/api/auth/sign-in/email";
const origin = "http://localhost";
/** Sends a body to the service without rate limits, because rate limits need a database. */
const send = (body: unknown, headers: Record<string, string> = {}) =>
  service({ env: { RATE_LIMITS: "off" } }).send({ path, body, origin, headers: { Origin: origin, ...headers } });

describe("the body of a session call", () => {
  test("the body of a session call has at most 64 KiB", async () => {
    const { status, body } = await send({ email: "a@b.example", password: "x", more: "x".repeat(70_000) });
    expect(status).toBe(413);
    expect(body).toMatchObject({ data: null, error: { name: "PayloadTooLargeError" } });
  });

  test.each(["text/plain", "application/json; charset=utf-16", "multipart/form-data"])(
    "the body of a session call can't be %s",
    async (type) => {
      expect((await send("{}", { "Content-Type": type })).status).toBe(403);
    },
  );

  test("the body of a session call is refused with all errors, in the order of its fields", async () => {
    const { status, body } = await send({ password: 1 });
    expect(status).toBe(400);
    expect(body).toMatchObject({
      error: {
        message: "email must be an email address of at most 255 characters",
        details: { errors: [{ path: ["email"] }, { path: ["password"] }] },
      },
    });
  });
});

test("sign-in without a database returns 503 with Retry-After", async () => {
  const { status, headers, body } = await send({ email: "a@b.example", password: "x" });
  expect(status).toBe(503);
  expect(headers.get("Retry-After")).toBe("5");
  expect(JSON.stringify(body)).not.toMatch(/127\.0\.0\.1|fetch|sqlite/i);
});

test.each([
  ["GET", "/api/auth/get-session", 200],
  ["POST", "/api/auth/sign-out", 403],
  ["GET", "/api/programs/1", 401],
  ["GET", "/api/auth/nothing", 404],
  ["PUT", "/api/auth/get-session", 405],
])(
  "the response to %s %s prevents caching and content sniffing, and has a request id and one log line",
  async (method, where, status) => {
    const { send: call, lines } = service();
    const reply = await call({ method, path: where, headers: { "X-Request-Id": "request-0001" } });
    expect(reply.status).toBe(status);
    expect(reply.headers.get("Cache-Control")).toBe("no-store");
    expect(reply.headers.get("X-Content-Type-Options")).toBe("nosniff");
    expect(reply.headers.get("X-Request-Id")).toBe("request-0001");
    expect([...reply.headers.keys()].filter((name) => name.startsWith("access-control"))).toEqual([]);
    expect(lines().map((line) => JSON.parse(line))).toMatchObject([{ request_id: "request-0001", status }]);
  },
);
