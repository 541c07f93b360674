import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test, vi } from "vitest";
import { type TrackingProblem, Tributary, type TributaryOptions } from "../../sdk/src/index.ts";

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
  const problems: TrackingProblem[] = [];
  const onError = (problem: TrackingProblem) => void problems.push(problem);
  const client = (options: TributaryOptions = {}) => new Tributary({ apiKey, baseUrl, onError, ...options });
  return { calls, problems, baseUrl, client };
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
  ["a cut connection", cut, 0, "NetworkError", /\/track\/sale: ./],
  ["a body that breaks off", cutHalfway, 0, "NetworkError", /\/track\/sale: ./],
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

test.each<[string, Behaviour, number]>([
  ["400", refusal(400), 400],
  ["401", refusal(401), 401],
  ["409 that names no sale", refusal(409), 409],
])("%s is final", async (_, behaviour, status) => {
  const { calls, client } = await misbehaving(behaviour);
  const result = await client().trackSale(order);
  expect(result).toMatchObject({ ok: false, status, retryable: false, error: { message: "No." } });
  expect(calls).toHaveLength(1);
});

const elsewhere = { location: "https://elsewhere.example/" };

test.each<[string, Behaviour, number, RegExp]>([
  ["a firewall's 403", html(403), 403, /\(403, text\/html\)\. Check baseUrl\.$/],
  ["a proxy's 404", html(404), 404, /\(404, text\/html\)\. Check baseUrl\.$/],
  ["a redirect", answer(301, "", elsewhere), 301, /\(301, https:\/\/elsewhere\.example\/\)/],
  ["a redirect that keeps the method", answer(307, "", elsewhere), 307, /\(307, https:\/\/elsewhere\.example\/\)/],
  ["somebody else's 400", answer(400, { message: "Bad request" }), 400, /\(400, application\/json\)/],
  ["somebody else's error object", answer(403, { error: { code: 403, message: "No" } }), 403, /\(403, /],
  ["somebody else's failure", answer(403, { success: false, message: "No" }), 403, /\(403, /],
])("%s is for later, but not sent again at once", async (_, behaviour, status, message) => {
  const { calls, client } = await misbehaving(behaviour);
  for (const result of [await client().trackSale(order), await client().trackRefund({ invoiceId: "i" })]) {
    expect(result).toMatchObject({ ok: false, status, retryable: true, error: { name: "UnreadableAnswerError" } });
    expect(result.error?.message).toMatch(message);
  }
  expect(calls).toHaveLength(2);
});

test.each<[string, Behaviour]>([
  ["a 409 that is no sale's", answer(409, { error: { status: 409, message: "x", details: { sale_id: 1 } } })],
  ["an error without details", answer(503, { error: { status: 503, details: null } })],
  ["an error of nothing", answer(404, { error: { status: 404 } })],
])("%s is a failure with details and a message, if empty ones", async (_, behaviour) => {
  const { client } = await misbehaving(behaviour);
  const { ok, error } = await client({ retries: 0 }).trackSale(order);
  expect(ok).toBe(false);
  expect([typeof error?.message, typeof error?.details]).toEqual(["string", "object"]);
});

test("a peer that repeats the key doesn't get it into a result", async () => {
  const echo: Behaviour = (response, request) => {
    const { authorization } = request.headers;
    answer(400, { error: { status: 400, message: authorization, details: { authorization } } })(response, request);
  };
  const { client, problems } = await misbehaving(echo);
  const result = await client().trackSale(order);
  expect(result.error?.message).toBe("Bearer <key>");
  expect(JSON.stringify([result, problems])).not.toContain(apiKey);
});

test("an answer is read no further than the service's can be long", async () => {
  const sent = { bytes: 0, isCut: false };
  const endless: Behaviour = (response) => {
    response.writeHead(502, { "content-type": "text/html" });
    const write = () => {
      if (response.destroyed) return;
      sent.bytes += 65_536;
      response.write("x".repeat(65_536), () => setImmediate(write));
    };
    response.on("close", () => {
      sent.isCut = true;
    });
    write();
  };
  const { client } = await misbehaving(endless);
  const result = await client({ retries: 0 }).trackSale(order);
  expect(result).toMatchObject({ ok: false, status: 502, error: { name: "UnreadableAnswerError" } });
  await vi.waitFor(() => expect(sent.isCut).toBe(true));
  // What the sockets of both ends buffer is on top of it.
  expect(sent.bytes).toBeLessThan(16 * 1_048_576);
});

test("an answer is read by text() where its body can't be streamed, and letters may lie across two chunks", async () => {
  const { client } = await misbehaving(good);
  const text = JSON.stringify({ ...recorded, message: "ü€😀" });
  const bytes = new TextEncoder().encode(text);
  const bodies = [
    undefined,
    null,
    "text",
    (async function* () {
      for (const byte of bytes) yield Uint8Array.of(byte);
    })(),
  ];
  for (const body of bodies) {
    const fetch = async () => ({ status: 200, headers: new Headers(), body, text: async () => text });
    expect(await client({ fetch }).trackSale(order)).toMatchObject({ ok: true, data: { message: "ü€😀" } });
  }
});

test("an aborted call ends, whether it waits for its answer or for the next attempt, and is reported", async () => {
  const { calls, client, problems } = await misbehaving(hang, refusal(503, { "retry-after": "4" }));
  for (const stage of ["answer", "pause"]) {
    const sentBefore = calls.length;
    const controller = new AbortController();
    const removed = vi.spyOn(controller.signal, "removeEventListener");
    const result = client().trackSale(order, { signal: controller.signal });
    await vi.waitFor(() => expect(calls).toHaveLength(sentBefore + 1));
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

test("a call with a signal that was aborted before is not sent", async () => {
  const { calls, client } = await misbehaving(good);
  const result = await client().trackLead({ customerExternalId: "u" }, { signal: AbortSignal.abort() });
  expect(result).toMatchObject({ ok: false, status: 0, retryable: true, error: { name: "NetworkError" } });
  expect(calls).toEqual([]);
});

test("each failure is heard once, after its last attempt, with the result; successes and repeats are not", async () => {
  const repeat = { ...recorded, same_request: true, differences: [] };
  const conflict = { error: { status: 409, name: "ConflictError", message: "Duplicate.", details: repeat } };
  const { calls, client, problems } = await misbehaving(good, answer(409, conflict), refusal(503));
  const tributary = client({ retries: 1 });
  expect(await tributary.trackSale(order)).toMatchObject({ ok: true });
  expect(await tributary.trackSale(order)).toMatchObject({ ok: true, duplicate: true });
  expect(await tributary.trackSale({ ...order, amount: 0 })).toMatchObject({ ok: true, skipped: true });
  expect(problems).toEqual([]);
  const results = {
    sale: await tributary.trackSale(order),
    lead: await tributary.trackLead({ customerExternalId: "u" }),
    refund: await tributary.trackRefund({ invoiceId: "i" }),
    click: await tributary.trackClick({ affiliateUrl: "https://shop.example/?aff=a" }),
    readiness: await tributary.readiness(),
    verification: await tributary.runVerification(),
  };
  expect(problems).toEqual(Object.entries(results).map(([source, failure]) => ({ source, message: "No.", failure })));
  expect(calls).toHaveLength(2 + 5 * 2 + 1);
});

test("a listener of one call hears its failure in place of the client's", async () => {
  const { client, problems } = await misbehaving(refusal(400));
  const own: TrackingProblem[] = [];
  await client().trackSale(order, { onError: (problem) => void own.push(problem) });
  expect(own).toMatchObject([{ source: "sale", message: "No.", failure: { status: 400 } }]);
  expect(problems).toEqual([]);
});

test("a failure that nobody waits for is on the console by default, without the key", async () => {
  const error = vi.spyOn(console, "error").mockImplementation(() => {});
  onTestFinished(() => error.mockRestore());
  const { baseUrl } = await misbehaving(refusal(401));
  const tributary = new Tributary({ apiKey, baseUrl });
  void tributary.trackLead({ customerExternalId: "user-1" });
  await vi.waitFor(() => expect(error).toHaveBeenCalled());
  tributary.report({ source: "stripe", message: "in_1 has no customer" });
  await vi.waitFor(() => expect(error).toHaveBeenCalledTimes(2));
  expect(error.mock.calls).toEqual([["tributary: lead: No."], ["tributary: stripe: in_1 has no customer"]]);
});

test("report passes a problem on, and outlives its listener", async () => {
  const { client, problems } = await misbehaving(good);
  const problem: TrackingProblem = { source: "stripe", message: "in_1 has no customer" };
  client().report(problem);
  client({
    onError: () => {
      throw new Error("listener");
    },
  }).report(problem);
  await vi.waitFor(() => expect(problems).toEqual([problem]));
});

test.each<[string, Behaviour]>([
  ["before the answer", hang],
  ["within the body", hangHalfway],
])("a server that hangs %s is left after timeoutMs", async (_, behaviour) => {
  const { calls, client } = await misbehaving(behaviour);
  const result = await client({ timeoutMs: 100, retries: 1 }).trackSale(order);
  expect(result).toMatchObject({ ok: false, status: 0, retryable: true, error: { name: "NetworkError" } });
  expect(result.error?.message).toMatch(/no answer in 100 ms$/);
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
  const tributary = new Tributary({ apiKey, baseUrl: "http://127.0.0.1:1", retries: 0, onError: () => {} });
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
  const tributary = new Tributary({ apiKey, baseUrl: "http://127.0.0.1:1", fetch, retries: 4, onError: () => {} });
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

test("of the messages that were said, at most 1,000 are kept", async () => {
  const details = { ...recorded, same_request: false, differences: ["currency"] };
  const body = JSON.stringify({ error: { status: 409, name: "ConflictError", message: "Duplicate.", details } });
  const fetch = async () => ({ status: 409, headers: new Headers(), text: async () => body });
  const heard: string[] = [];
  const onWarning = ({ message }: { message: string }) => void heard.push(message);
  const tributary = new Tributary({ apiKey, baseUrl: "http://127.0.0.1:1", fetch, onWarning });
  for (let i = 0; i < 1_100; i += 1) await tributary.trackSale({ ...order, invoiceId: `i${i}` });
  await tributary.trackSale({ ...order, invoiceId: "i1099" });
  expect(heard).toHaveLength(1_100);
  await tributary.trackSale({ ...order, invoiceId: "i0" });
  expect(heard).toHaveLength(1_101);
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
  const { client } = await misbehaving(
    answer(400, { error: { status: 400, name: "A_b", message, details: { some_name: "x_y" } } }),
  );
  expect(await client().trackSale(order)).toMatchObject({
    error: { name: "A_b", message, details: { someName: "x_y" } },
  });
});
