import { describe, expect, test } from "vitest";
import { service } from "./service.ts";

const click = { affiliate_url: "https://shop.example/?aff=anna" };
const sale = { transaction_id: "t1", amount_cents: 100, customer_key: "u1" };
const as = (type: string) => ({ headers: { "Content-Type": type } });

describe("the content type of a body", () => {
  test.each([
    ...["application/json", "Application/JSON", "application/json; charset=utf-8", "application/json ; charset=UTF-8"],
    ...['application/json;charset="utf-8"', "application/json;", "application/json; v=1"],
    ...["text/plain", "text/plain;charset=UTF-8"],
  ])("the content type of a click's body can be %s", async (type) => {
    const { click: send, calls } = service();
    expect((await send(click, as(type))).status).toBe(200);
    expect(calls).toMatchObject([{ kind: "click", code: "anna" }]);
  });

  test.each([
    ["click", "application/json; charset=utf-16"],
    ["click", "application/json; charset=iso-8859-1"],
    ["click", "application/x-www-form-urlencoded"],
    ["click", "multipart/form-data; boundary=x"],
    ["lead", "application/vnd.api+json"],
    ["lead", "text/html"],
    ["sale", "text/plain"],
    ["refund", "text/plain;charset=utf-8"],
    ["sale", "application/jsonp"],
  ] as const)("a body is refused for its content type if a %s is sent as %s", async (event, type) => {
    const { [event]: send, calls } = service();
    const reply = await send({ ...click, ...sale }, as(type));
    expect(reply).toMatchObject({ status: 415, body: { error: { name: "UnsupportedMediaTypeError", details: {} } } });
    expect(calls.filter(({ kind }) => kind !== "key")).toEqual([]);
  });

  test("a body without a content type is refused", async () => {
    const { send } = service();
    expect((await send({ path: "/api/v1/track/click" })).status).toBe(415);
  });
});

describe("the size of a body", () => {
  const ofBytes = (bytes: number) => JSON.stringify(click).padEnd(bytes);

  test("a body is accepted up to 64 KiB, and refused above", async () => {
    const { click: send } = service();
    const exact = ofBytes(64 * 1024);
    expect(exact.length).toBe(64 * 1024);
    expect((await send(exact)).status).toBe(200);
    const reply = await send(ofBytes(64 * 1024 + 1));
    expect(reply).toMatchObject({ status: 413, body: { error: { name: "PayloadTooLargeError", details: {} } } });
  });

  test("the size of a body is counted for a stream of unknown length, and reading stops once the limit is reached", async () => {
    const { app, env, context } = service();
    let pulled = 0;
    const endless = new ReadableStream({
      pull(controller) {
        pulled += 1;
        controller.enqueue(new Uint8Array(1024).fill(32));
      },
    });
    const init = { method: "POST", body: endless, duplex: "half", headers: { "Content-Type": "application/json" } };
    const response = await app.fetch(new Request("https://api.example/api/v1/track/click", init), env, context);
    expect(response.status).toBe(413);
    expect(pulled).toBeLessThan(70);
  });

  test("a body that is too large by its Content-Length is refused before it is read", async () => {
    const reply = await service().click(click, { headers: { "Content-Length": "65537" } });
    expect(reply.status).toBe(413);
  });
});

describe("the fields of a body", () => {
  test.each(["", " ", "{", "{'a':1}", '{"a":1}}', "undefined", '{"a":"\t"}'])(
    "a body is refused as malformed: %j",
    async (body) => {
      const reply = await service().sale(body);
      expect(reply).toMatchObject({
        status: 400,
        body: { error: { message: "Malformed JSON in request body", details: {} } },
      });
    },
  );

  test("a body is refused as malformed if it isn't UTF-8", async () => {
    const { app, env, context } = service();
    const init = {
      method: "POST",
      body: new Uint8Array([0x7b, 0xff, 0x7d]),
      headers: { "Content-Type": "text/plain" },
    };
    const response = await app.fetch(new Request("https://api.example/api/v1/track/click", init), env, context);
    expect(await response.json()).toMatchObject({ error: { message: "Malformed JSON in request body" } });
  });

  test.each(["[]", "null", "5", '"text"', "true"])("a body is refused if it isn't an object: %s", async (body) => {
    const message = "Request body must be a JSON object";
    const reply = await service().sale(body);
    expect(reply.body).toMatchObject({ error: { message, details: { errors: [{ path: [], message }] } } });
  });

  const nested = (depth: number) =>
    `{"a":${"[".repeat(depth - 1)}${"]".repeat(depth - 1)},${JSON.stringify(sale).slice(1)}`;

  test("a body can be nested 32 levels deep, and is refused at 33 levels", async () => {
    const { sale: send } = service();
    expect((await send(nested(32))).status).toBe(200);
    expect((await send(nested(33))).body).toMatchObject({
      error: { message: "Request body is nested more than 32 deep" },
    });
    expect((await send(nested(30_000))).status).toBe(400);
  });

  test.each([
    ['{"transaction_id":"a\\u0000b"}', ["transaction_id"], "transaction_id"],
    ['{"transaction_id":"a\\ud800b"}', ["transaction_id"], "transaction_id"],
    ['{"unknown":{"x":["ok","\\udc00"]}}', ["unknown", "x", 1], "unknown.x.1"],
  ])("a body is refused if a text in it isn't well-formed Unicode: %s", async (body, path, name) => {
    const message = `${name} contains NUL or ill-formed Unicode`;
    expect((await service().sale(body)).body).toMatchObject({ error: { details: { errors: [{ path, message }] } } });
  });

  test.each(['{"a\\u0000":1}', '{"x":{"\\ud83d":1}}'])(
    "a body is refused if a field's name isn't well-formed Unicode: %s",
    async (body) => {
      const message = "A field name contains NUL or ill-formed Unicode";
      expect((await service().sale(body)).body).toMatchObject({ error: { message } });
    },
  );

  test("a body can contain complete surrogate pairs", async () => {
    const { sale: send, calls } = service();
    expect((await send({ ...sale, transaction_id: "💶" })).status).toBe(200);
    expect(calls[0]).toMatchObject({ transactionId: "💶" });
  });

  test("a body's field counts as absent if its value is null, and is ignored if its name is unknown", async () => {
    const { sale: send, calls } = service();
    const nothing = { currency: null, is_recurring: null, line_items: null, occurred_at: null, additional_data: null };
    expect((await send({ ...sale, ...nothing, partner: "me", commission_cents: 5 })).status).toBe(200);
    expect(calls[0]).toMatchObject({ currency: null, isRecurring: false, lineItems: null, isTest: false });
    expect(calls[0]).not.toHaveProperty("partner");
  });
});
