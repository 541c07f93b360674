import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test, vi } from "vitest";
import { Tributary, type TributaryOptions } from "../../sdk/src/index.ts";

type Behaviour = (response: ServerResponse, request: IncomingMessage) => void;

const apiKey = "svc_1_secret-that-nobody-may-see";
const order = { customerExternalId: "user-1", amount: 4_900, invoiceId: "invoice-1" } as const;
const recorded = { success: true, sale_id: 1, commission_id: 2, attributed: false, commission: {} };

const answer =
  (status: number, body: unknown, headers: Record<string, string> = {}): Behaviour =>
  (response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  };
const good = answer(200, recorded);
const html = (status: number) => answer(status, "<h1>Hello</h1>", { "content-type": "text/html" });
const refusal = (status: number, headers?: Record<string, string>) =>
  answer(status, { data: null, error: { status, name: "SomeError", message: "No.", details: {} } }, headers);
const hang: Behaviour = () => {};
const hangHalfway: Behaviour = (response) => {
  response.writeHead(200, { "content-type": "application/json" });
  response.write('{"success":true,"sale_');
};
const cut: Behaviour = (response) => void response.socket?.resetAndDestroy();
const cutHalfway: Behaviour = (response) => {
  response.writeHead(200, { "content-type": "application/json", "content-length": "200" });
  response.write('{"success":true,"sale_', () => response.socket?.destroy());
};

/** A server that answers the first call by the first behaviour, and so on; the last one stays. */
async function misbehaving(...behaviours: [Behaviour, ...Behaviour[]]) {
  const calls: { readonly at: number; readonly path: string; readonly body: string; readonly key: string }[] = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const { authorization: key = "" } = request.headers;
    calls.push({ at: performance.now(), path: `${request.method} ${request.url}`, body, key });
    (behaviours[calls.length - 1] ?? behaviours.at(-1))?.(response, request);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = (options: Partial<TributaryOptions> = {}) => new Tributary({ apiKey, baseUrl, ...options });
  return { calls, baseUrl, client };
}

test.each<[string, Behaviour]>([
  ["a cut connection", cut],
  ["a body that breaks off", cutHalfway],
  ["half a JSON text", answer(200, '{"success":true,"sale_')],
  ["503", refusal(503)],
  ["500 in HTML", html(500)],
  ["429", refusal(429)],
  ["a 200 without the sale", answer(200, { success: true })],
])("after %s the identical call is sent again, and succeeds", async (_, behaviour) => {
  const { calls, client } = await misbehaving(behaviour, good);
  expect(await client().trackSale(order)).toMatchObject({
    ok: true,
    status: 200,
    data: { saleId: 1, commissionId: 2 },
  });
  expect(calls).toHaveLength(2);
  expect(calls[1]).toEqual({ ...calls[0], at: expect.any(Number) });
  expect(calls[0]).toMatchObject({ path: "POST /api/v1/track/sale", key: `Bearer ${apiKey}` });
});

test.each<[string, Behaviour, number, string, RegExp]>([
  ["a cut connection", cut, 0, "NetworkError", /It can be sent again\.$/],
  ["a body that breaks off", cutHalfway, 0, "NetworkError", /It can be sent again\.$/],
  ["half a JSON text", answer(200, '{"success":true,"sale_'), 200, "UnreadableAnswerError", /200.*Check baseUrl\.$/],
  ["HTML", html(200), 200, "UnreadableAnswerError", /\(200, text\/html\)\. Check baseUrl\.$/],
  ["a list", answer(200, [1]), 200, "UnreadableAnswerError", /Check baseUrl/],
  ["null", answer(200, "null"), 200, "UnreadableAnswerError", /Check baseUrl/],
  ["nothing", answer(200, ""), 200, "UnreadableAnswerError", /Check baseUrl/],
  ["warnings that are none", answer(200, { warnings: [null, 5] }), 200, "UnreadableAnswerError", /Check baseUrl/],
  ["an error that is none", answer(502, { error: {} }), 502, "UnreadableAnswerError", /\(502, /],
  ["an error in words", answer(503, { error: "no" }), 503, "UnreadableAnswerError", /\(503, /],
  ["503", refusal(503), 503, "SomeError", /^No\.$/],
])("%s, to the end: not ok, and to be sent again", async (_, behaviour, status, name, message) => {
  const { calls, client } = await misbehaving(behaviour);
  const result = await client().trackSale(order);
  expect(result).toMatchObject({ ok: false, status, data: null, retryable: true, error: { name } });
  expect(result.error?.message).toMatch(message);
  expect(JSON.stringify(result)).not.toContain(apiKey);
  expect(calls).toHaveLength(3);
});

test.each<[string, Behaviour, number, RegExp]>([
  ["400", refusal(400), 400, /^No\.$/],
  ["401", refusal(401), 401, /^No\.$/],
  ["404 in HTML", html(404), 404, /\(404, text\/html\)\. Check baseUrl\./],
  ["409 that names no sale", refusal(409), 409, /^No\.$/],
  [
    "a redirect",
    answer(302, "", { location: "https://elsewhere.example/" }),
    302,
    /302, https:\/\/elsewhere\.example\//,
  ],
])("%s is final", async (_, behaviour, status, message) => {
  const { calls, client } = await misbehaving(behaviour);
  const result = await client().trackSale(order);
  expect(result).toMatchObject({ ok: false, status, retryable: false });
  expect(result.error?.message).toMatch(message);
  expect(calls).toHaveLength(1);
});

test("a refund's 404 that is not the service's is not for another time", async () => {
  const { client } = await misbehaving(html(404));
  expect(await client().trackRefund({ invoiceId: "invoice-1" })).toMatchObject({ status: 404, retryable: false });
});

test.each<[string, Behaviour]>([
  ["before the answer", hang],
  ["within the body", hangHalfway],
])("a server that hangs %s is left after timeoutMs", async (_, behaviour) => {
  const { calls, client } = await misbehaving(behaviour);
  const result = await client({ timeoutMs: 100, retries: 1 }).trackSale(order);
  expect(result).toMatchObject({ ok: false, status: 0, retryable: true, error: { name: "NetworkError" } });
  expect(result.error?.message).toMatch(/no answer within 100 ms\. It can be sent again\.$/);
  expect(calls).toHaveLength(2);
});

test("a fetch that heeds no signal, and never ends, is left too", async () => {
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
    "no Error",
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
])("a fetch that throws %s", async (_, fetch) => {
  const { client } = await misbehaving(good);
  const result = await client({ fetch, retries: 0 }).trackSale(order);
  expect(result).toMatchObject({ ok: false, status: 0, retryable: true });
  expect(JSON.stringify(result)).not.toContain(apiKey);
});

test("nobody there", async () => {
  const tributary = new Tributary({ apiKey, baseUrl: "http://127.0.0.1:1", retries: 0 });
  const result = await tributary.trackLead({ customerExternalId: "user-1" });
  expect(result).toMatchObject({ ok: false, status: 0, retryable: true });
  expect(result.error?.message).toMatch(/^http:\/\/127\.0\.0\.1:1\/api\/v1\/track\/lead: fetch failed: /);
});

test.each([
  ["seconds", "1"],
  ["a date", () => new Date(Date.now() + 2_000).toUTCString()],
])("Retry-After as %s is waited for", async (_, after) => {
  const header = typeof after === "string" ? after : after();
  const { calls, client } = await misbehaving(refusal(429, { "retry-after": header }), good);
  expect(await client().trackSale(order)).toMatchObject({ ok: true });
  const [first, second] = calls;
  expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThan(950);
});

test.each(["3600", () => new Date(Date.now() + 60_000).toUTCString()])(
  "nobody is kept waiting for longer than five seconds",
  async (after) => {
    const header = typeof after === "string" ? after : after();
    const { calls, client } = await misbehaving(refusal(429, { "retry-after": header }), good);
    const result = await client().trackSale(order);
    expect(result).toMatchObject({ ok: false, status: 429, retryable: true });
    expect(result.error?.retryAfterSeconds).toBeGreaterThan(50);
    expect(calls).toHaveLength(1);
  },
);

test.each(["soon", "-1", "0", ""])("a Retry-After of %j is none", async (header) => {
  const { client } = await misbehaving(refusal(429, { "retry-after": header }), good);
  expect(await client().trackSale(order)).toMatchObject({ ok: true });
});

test("the pauses grow, and are not the same for all", async () => {
  const pauses: number[] = [];
  const wait = globalThis.setTimeout;
  const spy = vi.spyOn(globalThis, "setTimeout").mockImplementation(((run: () => void, ms: number) => {
    const isPause = ms <= 2_000;
    if (isPause) pauses.push(ms);
    return wait(run, isPause ? 0 : ms);
  }) as typeof setTimeout);
  onTestFinished(() => spy.mockRestore());
  const fetch: TributaryOptions["fetch"] = () => Promise.reject(new Error("no"));
  const tributary = new Tributary({ apiKey, baseUrl: "http://127.0.0.1:1", fetch, retries: 4 });
  await tributary.trackSale(order);
  await tributary.trackSale(order);
  for (const [i, pause] of pauses.entries()) {
    expect(pause).toBeGreaterThanOrEqual(125 * 2 ** (i % 4));
    expect(pause).toBeLessThan(250 * 2 ** (i % 4));
  }
  expect(new Set(pauses).size).toBe(8);
});

test("one call may have limits of its own; a chain is never sent again", async () => {
  const { calls, client } = await misbehaving(refusal(503));
  await client().trackSale(order, { retries: 0 });
  expect(calls).toHaveLength(1);
  await client().runVerification();
  expect(calls).toHaveLength(2);
  expect(calls[1]).toMatchObject({ path: "POST /api/v1/programs/me/verification", body: "{}" });
});

test("every attempt of a click has one event_id, and each click its own", async () => {
  const { calls, client } = await misbehaving(refusal(503), answer(200, { success: true, click_id: "x" }));
  await client().trackClick({ affiliateUrl: "https://shop.example/?aff=a" });
  await client().trackClick({ affiliateUrl: "https://shop.example/?aff=a" });
  const [first, again, next] = calls.map(({ body }) => JSON.parse(body).event_id);
  expect(first).toMatch(/^\S{20,64}$/);
  expect(again).toBe(first);
  expect(next).not.toBe(first);
});

test("a base address with a path, with and without a slash at its end", async () => {
  const { calls, baseUrl, client } = await misbehaving(good);
  for (const path of ["/", "/tracking", "/tracking//"]) await client({ baseUrl: baseUrl + path }).trackSale(order);
  expect(calls.map(({ path }) => path)).toEqual([
    "POST /api/v1/track/sale",
    "POST /tracking/api/v1/track/sale",
    "POST /tracking/api/v1/track/sale",
  ]);
});

test("what the listener of warnings throws, now or later, is nobody's concern", async () => {
  const { client } = await misbehaving(answer(200, { ...recorded, warnings: [{ message: "Rotate." }] }));
  const heard: string[] = [];
  for (const fail of [
    () => {
      throw new Error("listener");
    },
    () => Promise.reject(new Error("listener")),
  ]) {
    const onWarning = ({ message }: { message: string }) => {
      heard.push(message);
      return fail();
    };
    expect(await client({ onWarning }).trackSale(order)).toMatchObject({ ok: true });
  }
  expect(heard).toEqual(["Rotate.", "Rotate."]);
});

test("without a listener, console.warn is told", async () => {
  const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
  onTestFinished(() => warn.mockRestore());
  const { client } = await misbehaving(answer(200, { ...recorded, warnings: [{ message: "Rotate." }] }));
  const tributary = client();
  await tributary.trackSale(order);
  await tributary.trackSale(order);
  expect(warn.mock.calls).toEqual([["tributary: Rotate."]]);
});

test("names in an answer are turned, and what stands in its texts is not", async () => {
  const message = 'say "sale_id": "x_y", \\"a_b\\": 1';
  const { client } = await misbehaving(answer(400, { error: { name: "A_b", message, details: { some_name: "x_y" } } }));
  expect(await client().trackSale(order)).toMatchObject({
    error: { name: "A_b", message, details: { someName: "x_y" } },
  });
});
