import { expect, onTestFinished, test, vi } from "vitest";
import { Tributary, type TributaryOptions } from "../../sdk/src/index.ts";
import { apiKey, good, hang, hangHalfway, misbehaving, order } from "./misbehaving.ts";
import { answer, type Behaviour, refusal } from "./server-that.ts";

test("an aborted call ends during a request or between attempts, and is reported", async () => {
  const { calls, client, problems } = await misbehaving(hang, refusal(503, "No.", { "retry-after": "4" }));
  for (const stage of ["answer", "pause"]) {
    const sentBefore = calls.length;
    const controller = new AbortController();
    const removed = vi.spyOn(controller.signal, "removeEventListener");
    const result = client().trackSale(order, { signal: controller.signal });
    await expect.poll(() => calls).toHaveLength(sentBefore + 1);
    if (stage === "pause") await new Promise((resolve) => setTimeout(resolve, 300));
    controller.abort();
    expect(await result).toMatchObject({
      ok: false,
      status: 0,
      retryable: true,
      requestId: null,
      error: {
        name: "NetworkError",
        message: expect.stringMatching(/\/track\/sale: aborted$/),
      },
    });
    expect(calls).toHaveLength(sentBefore + 1);
    expect(removed).toHaveBeenCalled();
  }
  expect(problems).toHaveLength(2);
});

test("a call with an already aborted signal isn't sent", async () => {
  const { calls, client } = await misbehaving(good);
  const result = await client().trackLead({ customerExternalId: "u" }, { signal: AbortSignal.abort() });
  expect(result).toMatchObject({ ok: false, status: 0, retryable: true, error: { name: "NetworkError" } });
  expect(calls).toEqual([]);
});

test.each<[string, Behaviour]>([
  ["before the response", hang],
  ["within the body", hangHalfway],
])("a call to a server that hangs %s ends after timeoutMs", async (_, behaviour) => {
  const { calls, client } = await misbehaving(behaviour);
  const result = await client({ timeoutMs: 500, retries: 1 }).trackSale(order);
  expect(result).toMatchObject({ ok: false, status: 0, retryable: true, error: { name: "NetworkError" } });
  expect(result.error?.message).toMatch(/no answer in 500 ms$/);
  await expect.poll(() => calls).toHaveLength(2);
});

test("a fetch that ignores its signal is abandoned after timeoutMs", async () => {
  const { client } = await misbehaving(good);
  const seen: AbortSignal[] = [];
  const fetch: TributaryOptions["fetch"] = (_, { signal }) => {
    seen.push(signal);
    return new Promise(() => {});
  };
  expect(await client({ fetch, timeoutMs: 50, retries: 0 }).trackSale(order)).toMatchObject({ ok: false, status: 0 });
  expect(seen.map(({ aborted }) => aborted)).toEqual([true]);
});

test.each<[string, () => never]>([
  [
    "an Error with the key",
    () => {
      throw new Error(`Bearer ${apiKey} is no header`, { cause: "x" });
    },
  ],
  [
    "something that isn't an Error",
    () => {
      throw "nothing";
    },
  ],
  [
    "undefined",
    () => {
      throw undefined;
    },
  ],
])("a fetch that throws %s is a retryable failure", async (_, fetch) => {
  const { client } = await misbehaving(good);
  const result = await client({ fetch, retries: 0 }).trackSale(order);
  expect(result).toMatchObject({ ok: false, status: 0, retryable: true });
  expect(JSON.stringify(result)).not.toContain(apiKey);
});

test("an unreachable service is a retryable failure", async () => {
  const tributary = new Tributary({ apiKey, baseUrl: "http://127.0.0.1:1", retries: 0, onError: () => {} });
  const result = await tributary.trackLead({ customerExternalId: "user-1" });
  expect(result).toMatchObject({ ok: false, status: 0, retryable: true });
  expect(result.error?.message).toMatch(/^http:\/\/127\.0\.0\.1:1\/api\/v1\/track\/lead: fetch failed: /);
});

test.each([
  ["seconds", "1"],
  ["a date", () => new Date(Date.now() + 2_000).toUTCString()],
])("a call is repeated after a pause that Retry-After gives as %s", async (_, after) => {
  const header = typeof after === "string" ? after : after();
  const { calls, client } = await misbehaving(refusal(429, "No.", { "retry-after": header }), good);
  expect(await client().trackSale(order)).toMatchObject({ ok: true });
  const [first, second] = calls;
  expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThan(950);
});

test.each(["3600", () => new Date(Date.now() + 60_000).toUTCString()])(
  "a call isn't repeated if Retry-After is more than five seconds",
  async (after) => {
    const header = typeof after === "string" ? after : after();
    const { calls, client } = await misbehaving(refusal(429, "No.", { "retry-after": header }), good);
    const result = await client().trackSale(order);
    expect(result).toMatchObject({ ok: false, status: 429, retryable: true });
    expect(result.error?.retryAfterSeconds).toBeGreaterThan(50);
    expect(calls).toHaveLength(1);
  },
);

test.each(["soon", "-1", "0", ""])("a Retry-After of %j is ignored", async (header) => {
  const { client } = await misbehaving(refusal(429, "No.", { "retry-after": header }), good);
  expect(await client().trackSale(order)).toMatchObject({ ok: true });
});

test("the pauses between attempts increase, with jitter", async () => {
  const pauses: number[] = [];
  const wait = globalThis.setTimeout;
  const spy = vi.spyOn(globalThis, "setTimeout").mockImplementation(((run: () => void, ms: number) => {
    const isPause = ms <= 2_000;
    if (isPause) pauses.push(ms);
    return wait(run, isPause ? 0 : ms);
  }) as typeof setTimeout);
  onTestFinished(() => spy.mockRestore());
  const fetch: TributaryOptions["fetch"] = () => Promise.reject(new Error("no"));
  const tributary = new Tributary({ apiKey, baseUrl: "http://127.0.0.1:1", fetch, retries: 4, onError: () => {} });
  await tributary.trackSale(order);
  await tributary.trackSale(order);
  for (const [i, pause] of pauses.entries()) {
    expect(pause).toBeGreaterThanOrEqual(125 * 2 ** (i % 4));
    expect(pause).toBeLessThan(250 * 2 ** (i % 4));
  }
  expect(new Set(pauses).size).toBe(8);
});

test("a call may have its own limit of retries, and a verification is never retried", async () => {
  const { calls, client } = await misbehaving(refusal(503, "No."));
  await client().trackSale(order, { retries: 0 });
  expect(calls).toHaveLength(1);
  await client().runVerification();
  expect(calls).toHaveLength(2);
  expect(calls[1]).toMatchObject({ method: "POST", path: "/api/v1/programs/me/verification", text: "{}" });
});

test("all attempts of a click share one event_id, and each click has its own event_id", async () => {
  const { calls, client } = await misbehaving(refusal(503, "No."), answer(200, { success: true, click_id: "x" }));
  await client().trackClick({ affiliateUrl: "https://shop.example/?aff=a" });
  await client().trackClick({ affiliateUrl: "https://shop.example/?aff=a" });
  const [first, again, next] = calls.map(({ body }) => body.event_id);
  expect(first).toMatch(/^\S{20,64}$/);
  expect(again).toBe(first);
  expect(next).not.toBe(first);
});

test("a base address may have a path, with or without a slash at its end", async () => {
  const { calls, baseUrl, client } = await misbehaving(good);
  for (const path of ["/", "/tracking", "/tracking//"]) await client({ baseUrl: baseUrl + path }).trackSale(order);
  expect(calls.map(({ method, path }) => `${method} ${path}`)).toEqual([
    "POST /api/v1/track/sale",
    "POST /tracking/api/v1/track/sale",
    "POST /tracking/api/v1/track/sale",
  ]);
});
