import { expect, test } from "vitest";
import { apiKey, cutHalfway, good, html, misbehaving, order, recorded } from "./misbehaving.ts";
import { answer, type Behaviour, cut, refusal } from "./server-that.ts";

test.each<[string, Behaviour]>([
  ["a cut connection", cut],
  ["a body that breaks off", cutHalfway],
  ["half a JSON text", answer(200, '{"success":true,"sale_')],
  ["503", refusal(503, "No.")],
  ["500 in HTML", html(500)],
  ["429", refusal(429, "No.")],
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
  expect(calls[0]).toMatchObject({ method: "POST", path: "/api/v1/track/sale", key: `Bearer ${apiKey}` });
});

test.each<[string, Behaviour, number, string, RegExp]>([
  ["a cut connection", cut, 0, "NetworkError", /\/track\/sale: ./],
  ["a body that breaks off", cutHalfway, 0, "NetworkError", /\/track\/sale: ./],
  ["half a JSON text", answer(200, '{"success":true,"sale_'), 200, "UnreadableAnswerError", /200.*Check baseUrl\.$/],
  ["HTML", html(200), 200, "UnreadableAnswerError", /\(200, text\/html\)\. Check baseUrl\.$/],
  ["a list", answer(200, [1]), 200, "UnreadableAnswerError", /Check baseUrl/],
  ["null", answer(200, "null"), 200, "UnreadableAnswerError", /Check baseUrl/],
  ["nothing", answer(200, ""), 200, "UnreadableAnswerError", /Check baseUrl/],
  ["invalid warnings", answer(200, { warnings: [null, 5] }), 200, "UnreadableAnswerError", /Check baseUrl/],
  ["an empty error", answer(502, { error: {} }), 502, "UnreadableAnswerError", /\(502, /],
  ["an error in words", answer(503, { error: "no" }), 503, "UnreadableAnswerError", /\(503, /],
  ["503", refusal(503, "No."), 503, "SomeError", /^No\.$/],
])("%s on every attempt is a retryable failure", async (_, behaviour, status, name, message) => {
  const { calls, client } = await misbehaving(behaviour);
  const result = await client().trackSale(order);
  expect(result).toMatchObject({ ok: false, status, data: null, retryable: true, error: { name } });
  expect(result.error?.message).toMatch(message);
  expect(JSON.stringify(result)).not.toContain(apiKey);
  expect(calls).toHaveLength(3);
});

test.each<[string, Behaviour, number]>([
  ["400", refusal(400, "No."), 400],
  ["401", refusal(401, "No."), 401],
  ["409 that names no sale", refusal(409, "No."), 409],
])("%s is a final failure", async (_, behaviour, status) => {
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
  ["a 400 from another service", answer(400, { message: "Bad request" }), 400, /\(400, application\/json\)/],
  ["an error object from another service", answer(403, { error: { code: 403, message: "No" } }), 403, /\(403, /],
  ["a failure from another service", answer(403, { success: false, message: "No" }), 403, /\(403, /],
])("%s is a retryable failure, but isn't retried at once", async (_, behaviour, status, message) => {
  const { calls, client } = await misbehaving(behaviour);
  for (const result of [await client().trackSale(order), await client().trackRefund({ invoiceId: "i" })]) {
    expect(result).toMatchObject({ ok: false, status, retryable: true, error: { name: "UnreadableAnswerError" } });
    expect(result.error?.message).toMatch(message);
  }
  expect(calls).toHaveLength(2);
});

test.each<[string, Behaviour]>([
  ["a 409 that isn't about a sale", answer(409, { error: { status: 409, message: "x", details: { sale_id: 1 } } })],
  ["an error without details", answer(503, { error: { status: 503, details: null } })],
  ["an empty error", answer(404, { error: { status: 404 } })],
])("%s is a failure with details and a message, possibly empty", async (_, behaviour) => {
  const { client } = await misbehaving(behaviour);
  const { ok, error } = await client({ retries: 0 }).trackSale(order);
  expect(ok).toBe(false);
  expect([typeof error?.message, typeof error?.details]).toEqual(["string", "object"]);
});

test("a key that the server repeats doesn't appear in a result", async () => {
  const echo: Behaviour = (response, call) => {
    answer(400, { error: { status: 400, message: call.key, details: { authorization: call.key } } })(response, call);
  };
  const { client, problems } = await misbehaving(echo);
  const result = await client().trackSale(order);
  expect(result.error?.message).toBe("Bearer <key>");
  expect(JSON.stringify([result, problems])).not.toContain(apiKey);
});

test("the client reads a response only up to the service's maximum length", async () => {
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
  await expect.poll(() => sent.isCut).toBe(true);
  // The sockets at both ends buffer some more bytes.
  expect(sent.bytes).toBeLessThan(16 * 1_048_576);
});

test("the client reads a response by text() if its body can't be streamed, and a character may span two chunks", async () => {
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

test("field names in a response become camelCase, and its texts don't change", async () => {
  const message = 'say "sale_id": "x_y", \\"a_b\\": 1';
  const { client } = await misbehaving(
    answer(400, { error: { status: 400, name: "A_b", message, details: { some_name: "x_y" } } }),
  );
  expect(await client().trackSale(order)).toMatchObject({
    error: { name: "A_b", message, details: { someName: "x_y" } },
  });
});
