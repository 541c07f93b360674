import { describe, expect, onTestFinished, test, vi } from "vitest";
import { hashProgramKey } from "../../src/domain/program-key.ts";
import { network } from "../../src/http/address.ts";
import { key, service } from "./service.ts";

const click = { affiliate_url: "https://shop.example/?aff=anna" };
const sale = { transaction_id: "t1", amount_cents: 100, customer_key: "u1" };
const lead = { customer_key: "u1", program_id: 7 };
const from = (address: string) => ({ headers: { "CF-Connecting-IP": address } });
const hash = hashProgramKey(key);
const noAddress = expect.stringMatching(/^[0-9a-f]{64}$/);

describe("who is counted", () => {
  test("a click's address, as a digest of its day", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2026, 0, 1, 23, 59) });
    onTestFinished(() => void vi.useRealTimers());
    const { click: send, counted } = service();
    for (const address of ["192.0.2.7", "192.0.2.8", "2001:db8:1:2:3:4:5:6", "2001:db8:1:2::1", "192.0.2.7"])
      await send(click, from(address));
    vi.setSystemTime(Date.UTC(2026, 0, 2));
    await send(click, from("192.0.2.7"));
    expect(counted).toEqual(Array(6).fill({ limit: "CLICK_LIMIT", who: noAddress }));
    const [first, other, network, same, again, nextDay] = counted.map(({ who }) => who);
    expect([again, same]).toEqual([first, network]);
    expect(new Set([first, other, network, nextDay]).size).toBe(4);
  });

  test("a browser lead's address, a server lead's key", async () => {
    const { lead: send, counted } = service();
    await send(lead, from("192.0.2.7"));
    await send(lead, { key });
    expect(counted).toEqual([
      { limit: "LEAD_LIMIT", who: noAddress },
      { limit: "LEAD_KEY_LIMIT", who: hash },
    ]);
  });

  test("sales and refunds by the key, together", async () => {
    const { sale: sell, refund, counted } = service();
    await sell(sale);
    await refund({ transaction_id: "t1" });
    expect(counted).toEqual([
      { limit: "SALE_LIMIT", who: hash },
      { limit: "SALE_LIMIT", who: hash },
    ]);
  });

  test("readiness by the key", async () => {
    const { readiness, counted } = service();
    await readiness();
    expect(counted).toEqual([{ limit: "READINESS_LIMIT", who: hash }]);
  });
});

describe("past the limit", () => {
  test.each([
    ["click", "CLICK_LIMIT", click, undefined],
    ["lead", "LEAD_LIMIT", lead, undefined],
    ["lead", "LEAD_KEY_LIMIT", lead, key],
    ["sale", "SALE_LIMIT", sale, key],
    ["refund", "SALE_LIMIT", { transaction_id: "t" }, key],
  ] as const)("a %s is refused by %s and asks nothing", async (event, limit, body, token) => {
    const { [event]: send, calls } = service({ pastLimit: [limit] });
    const reply = await send(body, token === undefined ? {} : { key: token });
    expect(reply.status).toBe(429);
    expect(reply.headers.get("Retry-After")).toBe("60");
    expect(reply.body).toEqual({
      data: null,
      error: {
        status: 429,
        name: "TooManyRequestsError",
        message: "Too many requests.",
        details: { retry_after_seconds: 60 },
        code: "rate_limited",
        retry_after_seconds: 60,
      },
    });
    expect(calls).toEqual([]);
  });

  test("readiness says so in its own envelope", async () => {
    const reply = await service({ pastLimit: ["READINESS_LIMIT"] }).readiness();
    const error = { code: "rate_limited", message: "Too many requests.", status: 429, retry_after_seconds: 60 };
    expect(reply).toMatchObject({ status: 429, body: { error } });
    expect(reply.body).toEqual({ error });
  });
});

test("a counter that fails stops nobody", async () => {
  const limit = () => Promise.reject(new Error("the counter is away"));
  const { sale: send, lines } = service({ env: { SALE_LIMIT: { limit } } });
  expect((await send(sale)).status).toBe(200);
  expect(lines().join()).toContain("the counter is away");
});

describe("headers", () => {
  test.each([
    ["click", click, "click"],
    ["lead", lead, "lead"],
    ["sale", sale, "sale"],
    ["sale", {}, "sale"],
    ["refund", { transaction_id: "t" }, "sale"],
  ] as const)("a %s says its limit", async (event, body, name) => {
    const { [event]: send } = service();
    const { headers } = await send(body);
    expect(headers.get("RateLimit-Policy")).toBe(`"${name}";q=60;w=60`);
    expect(headers.get("X-RateLimit-Limit")).toBe("60");
  });

  test("so does a call without its key, and one past the limit", async () => {
    const anonymous = await service().send({ path: "/api/v1/track/sale", body: sale });
    expect(anonymous.headers.get("X-RateLimit-Limit")).toBe("60");
    const refused = await service({ pastLimit: ["SALE_LIMIT"] }).sale(sale);
    expect(refused.headers.get("X-RateLimit-Limit")).toBe("60");
  });
});

describe("wrong keys", () => {
  test.each([
    ["one of another form", { key: "nonsense" }, {}],
    ["one never issued", {}, { sale: { code: "invalid_key" } }],
  ] as const)("%s is counted by its address", async (_, sent, script) => {
    const { sale: send, counted } = service(script);
    expect((await send(sale, { ...sent, ...from("192.0.2.7") })).status).toBe(401);
    expect(counted.at(-1)).toEqual({ limit: "FAILED_KEY_LIMIT", who: noAddress });
  });

  test("past the limit they are refused for their rate", async () => {
    const { sale: send } = service({ sale: { code: "invalid_key" }, pastLimit: ["FAILED_KEY_LIMIT"] });
    expect((await send(sale)).status).toBe(429);
  });

  test("a right key from the same address goes on", async () => {
    expect((await service({ pastLimit: ["FAILED_KEY_LIMIT"] }).sale(sale)).status).toBe(200);
  });

  test("a missing or a retired key is no guess", async () => {
    const { sale: send, send: call, counted } = service({ sale: { code: "key_retired", retiredAt: 0 } });
    await send(sale);
    await call({ path: "/api/v1/track/sale", body: sale });
    expect(counted.map(({ limit }) => limit)).not.toContain("FAILED_KEY_LIMIT");
  });
});

describe("RATE_LIMITS=off", () => {
  test.each([
    ["http://localhost:8787", 200],
    ["http://127.0.0.1:8787", 200],
    ["http://[::1]:8787", 200],
    ["https://api.example", 429],
    ["https://localhost.example", 429],
    ["https://127.0.0.1.example", 429],
  ])("at %s answers %i", async (origin, status) => {
    const { app, env, context } = service({ pastLimit: ["CLICK_LIMIT"], env: { RATE_LIMITS: "off" } });
    const init = { method: "POST", body: JSON.stringify(click), headers: { "Content-Type": "application/json" } };
    const response = await app.fetch(new Request(`${origin}/api/v1/track/click`, init), env, context);
    expect(response.status).toBe(status);
  });

  test("any other value leaves them on", async () => {
    const { app, env, context } = service({ pastLimit: ["CLICK_LIMIT"], env: { RATE_LIMITS: "on" } });
    const init = { method: "POST", body: JSON.stringify(click), headers: { "Content-Type": "application/json" } };
    const response = await app.fetch(new Request("http://localhost/api/v1/track/click", init), env, context);
    expect(response.status).toBe(429);
  });
});

test.each([
  ["192.0.2.1", "192.0.2.1"],
  ["::ffff:192.0.2.1", "192.0.2.1"],
  ["2001:db8::1", "2001:db8:0:0::/64"],
  ["2001:0db8:0000:0001::", "2001:db8:0:1::/64"],
  ["2001:db8:0:1:ffff:ffff:ffff:ffff", "2001:db8:0:1::/64"],
  ["::1", "0:0:0:0::/64"],
  ["2001:DB8:A::", "2001:db8:a:0::/64"],
])("%s counts as %s", (address, counted) => {
  expect(network(address)).toBe(counted);
});
