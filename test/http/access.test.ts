import { describe, expect, test } from "vitest";
import { hashProgramKey, mintProgramKey } from "#domain/program-key.ts";
import { key, programId, recordedBefore, service } from "./service.ts";

const click = { affiliate_url: "https://shop.example/?aff=anna" };
const sale = { transaction_id: "t1", amount_cents: 100, customer_key: "u1" };
const shown = { programId, hash: hashProgramKey(key) };
const missing = "Missing API key. Send it as Authorization: Bearer <key>.";
const malformed = ["svc_7_short", "nonsense", `${key}x`, key.toUpperCase(), `${key}, Bearer ${key}`];
const keyed = ["sale", "refund", "readiness"] as const;

describe.each(keyed)("%s needs a key", (event) => {
  const send = (headers: Record<string, string>) =>
    service().send({
      headers: { "Content-Type": "application/json", ...headers },
      ...(event === "readiness"
        ? { method: "GET", path: "/api/v1/programs/me/readiness" }
        : { path: `/api/v1/track/${event}`, body: {} }),
    });

  test.each(["", "Basic dXNlcjpwYXNz", "Bearer", "Bearer ", key, "Token x"])(
    "a route that needs a key rejects the Authorization header %j, which contains no key",
    async (Authorization) => {
      const reply = await send(Authorization === "" ? {} : { Authorization });
      expect(reply).toMatchObject({ status: 401, body: { error: { message: missing } } });
    },
  );

  test.each(malformed)("a route that needs a key rejects the token %j", async (token) => {
    const message = event === "readiness" ? "Invalid API token." : "Invalid API token";
    expect(await send({ Authorization: `Bearer ${token}` })).toMatchObject({
      status: 401,
      body: { error: { message } },
    });
  });
});

test("the authorization scheme is accepted in any case", async () => {
  const { sale: send, calls } = service();
  expect((await send(sale, { headers: { Authorization: `bEARER  ${key}` } })).status).toBe(200);
  expect(calls).toMatchObject([{ kind: "sale", key: shown }]);
});

describe("the order of refusals", () => {
  const { send } = { send: (script = {}) => service(script) };

  test("the API reports a missing key before any other error, and before it counts a call", async () => {
    const { send: call, counted } = send({ pastLimit: ["SALE_LIMIT"] });
    expect((await call({ path: "/api/v1/track/sale", body: "{" })).status).toBe(401);
    expect(counted).toEqual([]);
  });

  test("the API checks the rate limit before the body and the key", async () => {
    const { sale: call, calls } = send({ pastLimit: ["SALE_LIMIT"] });
    expect((await call("{")).status).toBe(429);
    expect(calls).toEqual([]);
  });

  test.each([
    ["malformed", "{", {}],
    ["faulty", {}, {}],
    ["of another type", sale, { "Content-Type": "text/plain" }],
    ["too large", "x".repeat(70_000), {}],
  ])("the API reports a wrong key before a body that is %s", async (_, body, headers) => {
    const { sale: call, calls } = send({ key: { code: "invalid_key" } });
    expect(await call(body, { headers })).toMatchObject({
      status: 401,
      body: { error: { message: "Invalid API token" } },
    });
    expect(calls).toMatchObject([{ kind: "key", key: shown }]);
  });

  test("the API reports a retired key before an invalid body", async () => {
    const { sale: call } = send({ key: { code: "key_retired", retiredAt: Date.UTC(2026, 0, 2) } });
    expect(await call({})).toMatchObject({ status: 401, body: { error: { code: "api_key_rotation_required" } } });
  });

  test("the API reports an invalid body if the key can't be checked", async () => {
    const { sale: call } = send({ key: { code: "unavailable", retryAfterSeconds: 5 } });
    expect((await call({})).status).toBe(400);
  });

  test("the API accepts a valid body without a separate check of the key", async () => {
    const { sale: call, calls } = send();
    await call(sale);
    expect(calls.map(({ kind }) => kind)).toEqual(["sale"]);
  });
});

describe("the mode of a lead (from a server or a browser)", () => {
  test.each([
    ["no header", undefined, false],
    ["another scheme", "Basic dXNlcjpwYXNz", false],
    ["an empty token", "Bearer ", false],
    ["a key", `Bearer ${key}`, true],
  ])(
    "a lead counts as sent by a server only if its Authorization header contains a token: %s",
    async (_, Authorization, isServer) => {
      const { lead: send, calls } = service();
      const headers = { "Content-Type": "text/plain", ...(Authorization === undefined ? {} : { Authorization }) };
      expect((await send({ customer_key: "u1", program_id: 7 }, { headers })).status).toBe(200);
      expect(calls).toMatchObject([{ kind: "lead", key: isServer ? shown : undefined }]);
    },
  );

  test("a lead with an invalid key is refused, and isn't treated as a lead from a browser", async () => {
    const { lead: send, calls } = service();
    expect((await send({ customer_key: "u1", program_id: 7 }, { key: "nonsense" })).status).toBe(401);
    expect(calls).toEqual([]);
  });

  test("a lead from a browser with an invalid body is refused without calling the Ledger", async () => {
    const { lead: send, calls } = service();
    expect((await send({})).status).toBe(400);
    expect(calls).toEqual([]);
  });
});

describe("the API key of a click", () => {
  const occurred_at = new Date(Date.now() - 3_600_000).toISOString();

  test.each([key, "nonsense"])("the API key of a click without occurred_at is ignored: %s", async (token) => {
    const { click: send, calls } = service();
    expect((await send(click, { key: token })).status).toBe(200);
    expect(calls).toMatchObject([{ kind: "click", key: undefined }]);
  });

  test("the API key of a click is required if the click has occurred_at", async () => {
    const reply = await service().click({ ...click, occurred_at });
    expect(reply).toMatchObject({ status: 400, body: { error: { message: "occurred_at needs a program API key" } } });
  });

  test("the API key of a click with occurred_at is refused if the key is invalid", async () => {
    expect((await service().click({ ...click, occurred_at }, { key: "nonsense" })).status).toBe(401);
  });

  test("the API key of a click with occurred_at is sent to the Ledger", async () => {
    const { click: send, calls } = service();
    expect((await send({ ...click, occurred_at }, { key })).status).toBe(200);
    expect(calls).toMatchObject([{ kind: "click", key: shown, occurredAt: Date.parse(occurred_at) }]);
  });

  test("the API key of a click with occurred_at is checked before an invalid body is reported", async () => {
    const { click: send } = service({ key: { code: "invalid_key" } });
    expect((await send({ occurred_at: "?" }, { key })).status).toBe(401);
  });
});

describe("key rotation", () => {
  const retiresAt = Date.UTC(2026, 4, 6, 7, 8, 9, 123);
  const headers = (reply: { headers: Headers }) =>
    ["Deprecation", "Sunset", "Link"].map((name) => reply.headers.get(name));
  const expected = [
    "@1778051289",
    "Wed, 06 May 2026 07:08:09 GMT",
    '<https://api.example/docs#key-rotation>; rel="deprecation"',
  ];

  test.each([
    ["a success", sale, {}],
    ["a refusal", {}, {}],
    ["a conflict", sale, { sale: recordedBefore }],
    ["an outage", sale, { sale: { code: "unavailable", retryAfterSeconds: 1 } }],
  ] as const)("the response to a call states when the call's API key retires: %s", async (_, body, script) => {
    const reply = await service({ ...script, meta: { keyRetiresAt: retiresAt } }).sale(body);
    expect(headers(reply)).toEqual(expected);
    expect(reply.body).toMatchObject({
      warnings: [
        {
          code: "api_key_rotation_required",
          message: "This API key must be replaced by 2026-05-06.",
          hint: expect.any(String),
          rotate_by: "2026-05-06T07:08:09.123Z",
          docs_url: "https://api.example/docs#key-rotation",
        },
      ],
    });
  });

  test("the 429 response to a call above the rate limit doesn't state when the call's API key retires", async () => {
    const reply = await service({ pastLimit: ["SALE_LIMIT"], meta: { keyRetiresAt: retiresAt } }).sale(sale);
    expect(headers(reply)).toEqual([null, null, null]);
    expect(reply.body).not.toHaveProperty("warnings");
  });

  test("the response to a call has no deprecation headers if the call's API key has no deadline", async () => {
    const reply = await service().sale(sale);
    expect(headers(reply)).toEqual([null, null, null]);
    expect(reply.body).not.toHaveProperty("warnings");
  });

  test.each(["sale", "refund", "lead"] as const)(
    "a %s with a retired key is refused in the error format of its endpoint",
    async (event) => {
      const refused = { code: "key_retired", retiredAt: retiresAt } as const;
      const { [event]: send } = service({ sale: refused, refund: refused, lead: refused });
      const reply = await send({ ...sale, additional_data: { test_mode: true } }, { key });
      expect(reply.status).toBe(401);
      expect(headers(reply)).toEqual(expected);
      expect(reply.body).toEqual({
        error: {
          code: "api_key_rotation_required",
          message: "This API key was retired on 2026-05-06.",
          status: 401,
          hint: expect.any(String),
          docs_url: "https://api.example/docs#key-rotation",
        },
      });
    },
  );

  test("a readiness request with a retired key is refused in the error format of the readiness endpoint", async () => {
    const reply = await service({ key: { code: "key_retired", retiredAt: retiresAt } }).readiness();
    expect(headers(reply)).toEqual(expected);
    expect(reply.body).toMatchObject({ error: { code: "api_key_rotation_required" } });
  });
});

test("an API key determines the program of a call", async () => {
  const other = mintProgramKey(123_456, new Uint8Array(32).fill(9));
  const { sale: send, calls } = service();
  await send(sale, { key: other });
  expect(calls).toMatchObject([{ key: { programId: 123_456, hash: hashProgramKey(other) } }]);
});
