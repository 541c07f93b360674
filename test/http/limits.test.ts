import { describe, expect, onTestFinished, test, vi } from "vitest";
import { mintClickId, parseClickKeyRing } from "#domain/click-id.ts";
import { hashProgramKey } from "#domain/program-key.ts";
import { clickKeys, key, service } from "./service.ts";

const click = { affiliate_url: "https://shop.example/?aff=anna" };
const pastClick = { ...click, program_id: 7, occurred_at: new Date().toISOString() };
const sale = { transaction_id: "t1", amount_cents: 100, customer_key: "u1" };
const lead = { customer_key: "u1", program_id: 7 };
const from = (address: string) => ({ headers: { "CF-Connecting-IP": address } });
const hash = `tributary ${hashProgramKey(key)}`;
const inTest = { additional_data: { test_mode: true } };
const ring = parseClickKeyRing(clickKeys) ?? expect.unreachable();
const ours = (who: string) => `tributary ${who}`;
const whoOf = (counted: readonly { readonly limit: string; readonly who: string }[], name: string) =>
  counted.filter(({ limit }) => limit === name).map(({ who }) => who);
const noAddress = expect.stringMatching(/^tributary [0-9a-f]{64}$/);

/** The settings of a service behind Cloudflare and a self-hosted proxy. */
const cloudflareFirst = { ADDRESS_FROM: "peer", CLIENT_ADDRESS_HEADER: "CF-Connecting-IP" };

describe("the key by which a rate limit counts", () => {
  test("the key by which a rate limit counts a click is a digest of the caller's address, and changes every day", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2026, 0, 1, 23, 59) });
    onTestFinished(() => void vi.useRealTimers());
    const { click: send, counted: all } = service();
    for (const address of ["192.0.2.7", "192.0.2.8", "2001:db8:1:2:3:4:5:6", "2001:db8:1:2::1", "192.0.2.7"])
      await send(click, from(address));
    vi.setSystemTime(Date.UTC(2026, 0, 2));
    await send(click, from("192.0.2.7"));
    const counted = all.filter(({ limit }) => limit === "CLICK_LIMIT");
    expect(counted).toEqual(Array(6).fill({ limit: "CLICK_LIMIT", who: noAddress }));
    const [first, other, network, same, again, nextDay] = counted.map(({ who }) => who);
    expect([again, same]).toEqual([first, network]);
    expect(new Set([first, other, network, nextDay]).size).toBe(4);
  });

  test.each([
    ["on Cloudflare", { ADDRESS_FROM: "cloudflare" }, undefined, 2],
    ["from a trusted proxy", { ...cloudflareFirst, TRUSTED_PROXIES: "10.0.0.0/8,::1" }, "[::1]:4000", 2],
    [
      "from a trusted proxy that reports another one",
      { ADDRESS_FROM: "peer", TRUSTED_PROXIES: "::1" },
      "[::1]:4000",
      1,
    ],
    ["from any other peer", { ...cloudflareFirst, TRUSTED_PROXIES: "10.0.0.0/8" }, "192.0.2.1:4000", 1],
    ["without trusted proxies", { ADDRESS_FROM: "peer" }, "127.0.0.1:4000", 1],
    ["from an unreported peer", { ADDRESS_FROM: "peer", TRUSTED_PROXIES: "0.0.0.0/0,::/0" }, undefined, 1],
    ["with the peer unknown", {}, "127.0.0.1:4000", 1],
  ])("rate limits use CF-Connecting-IP only from a trusted sender: %s", async (_, told, clientIp, callers) => {
    const env = { ADDRESS_FROM: "", TRUSTED_PROXIES: "", ...told };
    const { click: send, counted } = service({ env });
    for (const address of ["192.0.2.7", "192.0.2.8"]) await send(click, { ...from(address), cf: { clientIp } });
    expect(new Set(whoOf(counted, "CLICK_LIMIT")).size).toBe(callers);
  });

  const proxied = { ADDRESS_FROM: "peer", TRUSTED_PROXIES: "10.0.0.0/8,2001:db8:f::/48" };
  const proxy = "10.0.0.1:4000";

  test.each([
    ["the last one", "192.0.2.7", proxy],
    ["not one that the caller sent before it", "198.51.100.1, 192.0.2.7", proxy],
    ["the first one from the right that isn't a proxy's", "198.51.100.1, 192.0.2.7, 10.0.0.2,2001:db8:f::2", proxy],
    ["one with a port", "192.0.2.7:5000", proxy],
    ["ignored, from a peer that isn't a proxy", "198.51.100.1", "192.0.2.7:4000"],
    ["that of the proxy before an unknown address", "198.51.100.1, unknown, 10.0.0.2", proxy, "10.0.0.2"],
    ["the first proxy's, if all are proxies'", "10.0.0.3, 10.0.0.2", proxy, "10.0.0.3"],
    ["an IPv6 address with a port", "[2001:db8::7]:80", proxy, "2001:db8::7"],
    ["not CF-Connecting-IP, if both are present", "192.0.2.7", proxy, "192.0.2.7", from("198.51.100.1")],
  ])(
    "the address from X-Forwarded-For by which a rate limit counts is %s",
    async (_, forwarded, clientIp, counts = "192.0.2.7", more = undefined) => {
      const { click: send, counted } = service({ env: proxied });
      await send(click, { headers: { "X-Forwarded-For": forwarded, ...more?.headers }, cf: { clientIp } });
      await send(click, { headers: { "X-Forwarded-For": counts }, cf: { clientIp: proxy } });
      const [first, second] = whoOf(counted, "CLICK_LIMIT");
      expect(first).toBe(second);
    },
  );

  test("the key by which a rate limit counts a click is the address of the connection's peer, if workerd provides it", async () => {
    const { click: send, counted } = service({ env: { ADDRESS_FROM: "peer" } });
    for (const clientIp of ["192.0.2.7:4000", "192.0.2.8:4000", "192.0.2.7:4001", "[2001:db8::1]:4000"])
      await send(click, { cf: { clientIp } });
    const [first, second, again, v6] = whoOf(counted, "CLICK_LIMIT");
    expect(again).toBe(first);
    expect(new Set([first, second, v6]).size).toBe(3);
  });

  test.each([
    [{ ADDRESS_FROM: "peer", TRUSTED_PROXIES: "10.0.0.0/33" }, "TRUSTED_PROXIES is 10.0.0.0/33"],
    [{ ADDRESS_FROM: "cloudflare", TRUSTED_PROXIES: "10.0.0.0/8" }, "TRUSTED_PROXIES needs ADDRESS_FROM=peer"],
    [{ ADDRESS_FROM: "Cloudflare" }, "ADDRESS_FROM is Cloudflare"],
    [{ ...cloudflareFirst, CLIENT_ADDRESS_HEADER: "X Y" }, "CLIENT_ADDRESS_HEADER is X Y"],
    [{ ADDRESS_FROM: "cloudflare", INSECURE_HTTP: "on" }, "INSECURE_HTTP needs ADDRESS_FROM=peer"],
    [{ ADDRESS_FROM: "", INSECURE_HTTP: "on" }, "INSECURE_HTTP needs ADDRESS_FROM=peer"],
  ])("invalid settings of the caller's address make every call fail: %o", async (env, message) => {
    const { click: send, lines } = service({ env });
    expect((await send(click)).status).toBe(500);
    expect(lines().join()).toContain(message);
  });

  test("the keys by which rate limits count a click include its program and book (live or test), or one key for all clicks without a program", async () => {
    const { click: send, counted } = service();
    for (const body of [
      { ...click, program_id: 7 },
      { ...click, program_id: "7" },
      { ...click, program_id: 8 },
      { ...click, program_id: 7, ...inTest },
      { additional_data: { test_mode: true, program_id: 7 } },
      click,
      { ...click, ...inTest },
      { ...click, program_id: "none" },
    ])
      await send(body);
    expect(whoOf(counted, "CLICK_PROGRAM_LIMIT")).toEqual(
      ["7l", "7l", "8l", "7t", "7t", "no program", "no program"].map(ours),
    );
  });

  test("the only key by which a rate limit counts a click with occurred_at is the API key", async () => {
    const { click: send, counted } = service();
    await send({ ...click, program_id: 7, occurred_at: new Date().toISOString() }, { key });
    expect(counted).toEqual([{ limit: "CLICK_KEY_LIMIT", who: hash }]);
  });

  test.each([
    ["a click of now", {}, {}],
    ["a click of the past", { occurred_at: "2026-01-01T00:00:00Z" }, { headers: { Authorization: "Basic x" } }],
    ["a click of the past", { occurred_at: "2026-01-01T00:00:00Z" }, { key: "nonsense" }],
    ["malformed JSON", "{", {}],
  ] as const)("rate limits count %s by address, whatever the Authorization header", async (_, fields, sent) => {
    const { click: send, counted } = service();
    const body = typeof fields === "string" ? fields : { ...click, ...fields };
    const { headers } = await send(body, { key, ...sent });
    expect(whoOf(counted, "CLICK_LIMIT")).toEqual([noAddress]);
    expect(whoOf(counted, "CLICK_KEY_LIMIT")).toEqual([]);
    expect(headers.get("RateLimit-Policy")).toBe('"click";q=60;w=60');
  });

  test("the keys by which rate limits count a browser's lead are the address and the program, and a server's lead counts by its API key", async () => {
    const { lead: send, counted } = service();
    await send(lead, from("192.0.2.7"));
    await send(lead, { key });
    expect(counted).toEqual([
      { limit: "LEAD_LIMIT", who: noAddress },
      { limit: "LEAD_PROGRAM_LIMIT", who: ours("7l") },
      { limit: "LEAD_KEY_LIMIT", who: hash },
    ]);
  });

  test("the key by which a rate limit counts a browser's lead is its program_id, or the program of its newest click in the same book (live or test)", async () => {
    const { lead: send, counted } = service();
    const clickIn = (programId: number, isTest = false) =>
      mintClickId(ring, { programId, isTest, linkId: 1, at: 0 }, "0".repeat(16));
    await send({ click_id: clickIn(9) });
    await send({ click_id: clickIn(9), program_id: 7 });
    await send({ click_ids: [clickIn(8), clickIn(9, true)] });
    await send({ click_ids: [clickIn(8), clickIn(9, true)], ...inTest });
    expect(whoOf(counted, "LEAD_PROGRAM_LIMIT")).toEqual(["9l", "7l", "8l", "9t"].map(ours));
  });

  test("the keys by which rate limits count a visitor's request for an offer are the address and the click's program, and no Ledger is called", async () => {
    const { send, counted, calls } = service();
    const clickId = mintClickId(ring, { programId: 9, isTest: false, linkId: 1, at: 0 }, "0".repeat(16));
    const ask = (id: string) =>
      send({ method: "GET", path: `/api/v1/track/offer?click_id=${id}`, ...from("192.0.2.7") });
    expect(await ask("forged")).toMatchObject({ status: 200, body: { offer: null } });
    // Calls within the limit return 503, because this service has no database.
    expect((await ask(clickId)).status).toBe(503);
    const [address, program] = ["OFFER_LIMIT", "OFFER_PROGRAM_LIMIT"].map((name) => whoOf(counted, name));
    expect([address, program]).toEqual([[noAddress, noAddress], ["no program", "9l"].map(ours)]);
    expect(calls).toEqual([]);
  });

  test("the key by which a rate limit counts requests for a customer's offer is the API key, in a limit separate from the one for sales", async () => {
    const { send, counted } = service();
    await send({ method: "GET", path: "/api/v1/programs/me/offer?customer_key=u1", key });
    expect(counted).toEqual([{ limit: "OFFER_KEY_LIMIT", who: hash }]);
  });

  test("sales and refunds with the same API key share one rate limit", async () => {
    const { sale: sell, refund, counted } = service();
    await sell(sale);
    await refund({ transaction_id: "t1" });
    expect(counted).toEqual([
      { limit: "SALE_LIMIT", who: hash },
      { limit: "SALE_LIMIT", who: hash },
    ]);
  });

  test("the key by which a rate limit counts requests for explanations is the API key", async () => {
    const { send, counted } = service();
    const { headers } = await send({ method: "GET", path: "/api/v1/programs/me/explain?sale_id=1", key });
    expect(counted).toEqual([{ limit: "EXPLAIN_LIMIT", who: hash }]);
    expect(headers.get("RateLimit-Policy")).toBe('"explain";q=60;w=60');
  });

  test("the key by which a rate limit counts requests for readiness is the API key", async () => {
    const { readiness, counted } = service();
    await readiness();
    expect(counted).toEqual([{ limit: "READINESS_LIMIT", who: hash }]);
  });
});

describe("a call above its limit", () => {
  test.each([
    ["click", "CLICK_LIMIT", click, undefined],
    ["click", "CLICK_LIMIT", click, key],
    ["click", "CLICK_PROGRAM_LIMIT", click, undefined],
    ["click", "CLICK_KEY_LIMIT", pastClick, key],
    ["lead", "LEAD_LIMIT", lead, undefined],
    ["lead", "LEAD_PROGRAM_LIMIT", lead, undefined],
    ["lead", "LEAD_KEY_LIMIT", lead, key],
    ["sale", "SALE_LIMIT", sale, key],
    ["refund", "SALE_LIMIT", { transaction_id: "t" }, key],
  ] as const)("a call above its limit never reaches the Ledger: a %s above %s", async (event, limit, body, token) => {
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

  test.each([
    ["click", "CLICK_LIMIT", pastClick],
    ["click", "CLICK_PROGRAM_LIMIT", pastClick],
    ["lead", "LEAD_PROGRAM_LIMIT", lead],
  ] as const)(
    "a call with a key is accepted although the limit for calls without a key is used up: a %s and the limit %s",
    async (event, limit, body) => {
      const { [event]: send } = service({ pastLimit: [limit] });
      expect((await send(body, { key })).status).toBe(200);
    },
  );

  test("a click above its limit is refused before its body is read", async () => {
    const { status } = await service({ pastLimit: ["CLICK_LIMIT"] }).click("{");
    expect(status).toBe(429);
  });

  test("a request for readiness above its limit is refused in the error envelope of readiness", async () => {
    const reply = await service({ pastLimit: ["READINESS_LIMIT"] }).readiness();
    const error = { code: "rate_limited", message: "Too many requests.", status: 429, retry_after_seconds: 60 };
    expect(reply).toMatchObject({ status: 429, body: { error } });
    expect(reply.body).toEqual({ error });
  });
});

test("calls are accepted if the rate limit's counter fails", async () => {
  const limit = () => Promise.reject(new Error("the counter is away"));
  const { sale: send, lines } = service({ env: { SALE_LIMIT: { limit } } });
  expect((await send(sale)).status).toBe(200);
  expect(lines().join()).toContain("the counter is away");
});

describe("rate limit headers", () => {
  test.each([
    ["click", click, "click"],
    ["click", pastClick, "keyedClick"],
    ["lead", lead, "lead"],
    ["sale", sale, "sale"],
    ["sale", {}, "sale"],
    ["refund", { transaction_id: "t" }, "sale"],
  ] as const)("the rate limit headers of a %s show the limit that applies to it", async (event, body, name) => {
    const { [event]: send } = service();
    const { headers } = await send(body, name === "keyedClick" ? { key } : {});
    expect(headers.get("RateLimit-Policy")).toBe(`"${name}";q=60;w=60`);
    expect(headers.get("X-RateLimit-Limit")).toBe("60");
  });

  test.each([
    ["click", "CLICK_PROGRAM_LIMIT", click, "programClick"],
    ["lead", "LEAD_PROGRAM_LIMIT", lead, "programLead"],
  ] as const)(
    "rate limit headers show the program's limit for a %s above that limit",
    async (event, limit, body, name) => {
      const { [event]: send } = service({ pastLimit: [limit] });
      expect((await send(body)).headers.get("RateLimit-Policy")).toBe(`"${name}";q=60;w=60`);
    },
  );

  test("rate limit headers of a sale show a limit, also if the sale has no key or is refused for exceeding the limit", async () => {
    const anonymous = await service().send({ path: "/api/v1/track/sale", body: sale });
    expect(anonymous.headers.get("X-RateLimit-Limit")).toBe("60");
    const refused = await service({ pastLimit: ["SALE_LIMIT"] }).sale(sale);
    expect(refused.headers.get("X-RateLimit-Limit")).toBe("60");
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
  ])("with RATE_LIMITS=off, a call to %s above its limit returns %i", async (origin, status) => {
    const { app, env, context } = service({ pastLimit: ["CLICK_LIMIT"], env: { RATE_LIMITS: "off" } });
    const init = { method: "POST", body: JSON.stringify(click), headers: { "Content-Type": "application/json" } };
    const response = await app.fetch(new Request(`${origin}/api/v1/track/click`, init), env, context);
    expect(response.status).toBe(status);
  });

  test("RATE_LIMITS has no effect with any value except off", async () => {
    const { app, env, context } = service({ pastLimit: ["CLICK_LIMIT"], env: { RATE_LIMITS: "on" } });
    const init = { method: "POST", body: JSON.stringify(click), headers: { "Content-Type": "application/json" } };
    const response = await app.fetch(new Request("http://localhost/api/v1/track/click", init), env, context);
    expect(response.status).toBe(429);
  });
});
