import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import type { Json, JsonObject, RequestOptions } from "../../harness/client.ts";
import { createProgramFixture } from "../support/program-fixture.ts";
import { sharedApi, sharedService } from "../support/shared-service.ts";

const path = (name: string) => `/api/v1/${name}`;
const sale = { transaction_id: "t", amount_cents: 100, customer_key: "u" };
const json = { "content-type": "application/json" };

describe("the body of a call", () => {
  const streamed = (text: string) => new Blob([text]).stream().pipeThrough(new TransformStream());
  const sendStream = (name: string, text: string) => {
    const init = { method: "POST", body: streamed(text), duplex: "half", headers: json };
    return fetch(sharedService.url + path(name), init);
  };

  it("a body sent in chunks is accepted up to 64 KiB, and refused above", async () => {
    const { alice, all, world } = await createProgramFixture();
    const body = JSON.stringify({ affiliate_url: alice.landingUrl, program_id: world.programId });
    expect((await sendStream("track/click", body.padEnd(64 * 1024))).status).toBe(200);
    const refused = await sendStream("track/click", body.padEnd(64 * 1024 + 1));
    expect(refused.status).toBe(413);
    expect(await refused.json()).toMatchObject({ data: null, error: { status: 413, name: "PayloadTooLargeError" } });
    expect(await all("clicks")).toHaveLength(1);
  });

  it.each([
    ["track/click", "text/html"],
    ["track/lead", "application/x-www-form-urlencoded"],
    ["track/click", "application/json; charset=utf-16"],
    ["track/sale", "text/plain"],
    ["track/refund", "text/plain;charset=utf-8"],
  ])("a body sent to %s with the content type %s is refused", async (name, type) => {
    const { world } = await createProgramFixture();
    const options = { key: world.key, body: sale, headers: { "content-type": type } };
    const reply = await sharedApi().request("POST", path(name), options);
    expect(reply).toMatchObject({ status: 415, body: { data: null, error: { name: "UnsupportedMediaTypeError" } } });
  });

  it.each(["track/click", "track/lead", "track/sale", "track/refund", "programs/me/partners", "programs/me/coupons"])(
    "a compressed body is refused by %s, with the reason",
    { tags: ["finding"] },
    async (name) => {
      const { world } = await createProgramFixture();
      const headers = { ...json, authorization: `Bearer ${world.key}` };
      const post = (encoding: string, body: BodyInit) =>
        fetch(sharedService.url + path(name), {
          method: "POST",
          body,
          headers: { ...headers, "content-encoding": encoding },
        });
      const refused = await post("gzip", gzipSync(JSON.stringify(sale)));
      expect([refused.status, await refused.json()]).toMatchObject([
        415,
        { error: { name: "UnsupportedMediaTypeError", message: expect.stringContaining("Content-Encoding") } },
      ]);
      expect((await post("Identity", JSON.stringify(sale))).status).not.toBe(415);
    },
  );

  it.each<[string, Json]>([
    ["malformed", "{"],
    ["not an object", "[]"],
    ["with NUL", '{"customer_key":"\\u0000"}'],
    ["with a lone surrogate", '{"customer_key":"\\ud800"}'],
    ["nested too deeply", `{"a":${"[".repeat(40)}${"]".repeat(40)}}`],
  ])("a body that is %s is refused", async (_, body) => {
    const reply = await sharedApi().lead(body);
    expect(reply).toMatchObject({ status: 400, body: { data: null, error: { name: "BadRequestError" } } });
  });

  it("a body may have unknown fields, and null in optional fields", async () => {
    const { api, world, all } = await createProgramFixture();
    const body: JsonObject = { ...sale, click_id: null, currency: null, additional_data: null, partner_id: 1, x: {} };
    expect(await api.sale(body, { key: world.key })).toMatchObject({ status: 200 });
    expect(await all("sales")).toMatchObject([{ currency: "EUR", partner_id: null }]);
  });
});

describe("methods and paths", () => {
  it.each([
    ["GET", "track/click", "POST"],
    ["PUT", "track/sale", "POST"],
    ["OPTIONS", "track/refund", "POST"],
    ["POST", "openapi.json", "GET, HEAD"],
  ])("the request %s %s is refused, because the path doesn't allow this method", async (method, name, allow) => {
    const { status, headers, body } = await sharedApi().request(method, path(name), { checked: false });
    expect({ status, body }).toMatchObject({
      status: 405,
      body: { data: null, error: { name: "MethodNotAllowedError" } },
    });
    expect(headers.get("allow")).toBe(allow);
  });

  it("DELETE on the readiness endpoint is not allowed, and the error has that endpoint's own format", async () => {
    const { body } = await sharedApi().request("DELETE", path("programs/me/readiness"), { checked: false });
    expect(body).toEqual({ error: { code: "method_not_allowed", message: "Method not allowed", status: 405 } });
  });

  it.each(["/api/v1/nothing", "/api/nothing", "/api/tracking/click", "/api/v2/track/click"])(
    "a call to the unknown path %s returns 404",
    async (nowhere) => {
      const { status, body } = await sharedApi().request("POST", nowhere, { body: {}, checked: false });
      expect({ status, body }).toMatchObject({ status: 404, body: { data: null, error: { name: "NotFoundError" } } });
    },
  );

  it.each(["/healthz", "/readyz", "/docs", path("openapi.json"), path("programs/me/readiness")])(
    "HEAD %s returns the headers of GET without a body",
    async (url) => {
      const { world } = await createProgramFixture();
      const ask = (method: string) => sharedApi().request(method, url, { key: world.key, checked: false });
      const [head, get] = [await ask("HEAD"), await ask("GET")];
      expect([head.status, get.status]).toEqual([200, 200]);
      expect(head.text).toBe("");
      expect(head.headers.get("content-type")).toBe(get.headers.get("content-type"));
    },
  );

  it("the health check needs no key and returns only its status", async () => {
    for (const url of ["/healthz", "/readyz"]) {
      expect((await sharedApi().request("GET", url)).body).toEqual({ status: "ok" });
    }
  });
});

describe("response headers", () => {
  const answers: [string, string, string, RequestOptions][] = [
    ["a success", "GET", "/healthz", { checked: false }],
    ["a refused call", "POST", path("track/click"), { body: {} }],
    ["a call without a key", "POST", path("track/sale"), { body: {} }],
    ["readiness", "GET", path("programs/me/readiness"), {}],
    ["a call with a wrong method", "GET", path("track/sale"), { checked: false }],
    ["an unknown path", "GET", path("nothing"), { checked: false }],
  ];

  it.each(answers)(
    "the headers of the response to %s prevent caching and content sniffing, and contain a request id",
    async (_, method, url, options) => {
      const { headers } = await sharedApi().request(method, url, options);
      expect(headers.get("cache-control")).toBe("no-store");
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("content-type")).toMatch(/^application\/json/);
      expect(headers.get("x-request-id")).toMatch(/^[\w.-]{8,64}$/);
    },
  );

  it("response headers contain the caller's request id if it is well-formed", async () => {
    const idOf = async (id: string) =>
      (await sharedApi().click({}, { headers: { "x-request-id": id } })).headers.get("x-request-id");
    expect(await idOf("own.Request_id-1")).toBe("own.Request_id-1");
    for (const id of ["short", "x".repeat(65), "with space"]) expect(await idOf(id)).not.toBe(id);
  });
});

describe("a page of another site", () => {
  const site = { origin: "https://shop.example" };

  it.each(["click", "lead"])("a page of another site can send a %s with any content type and no key", async (event) => {
    const wanted = { "access-control-request-method": "POST", "access-control-request-headers": "authorization" };
    const url = path(`track/${event}`);
    const preflight = await sharedApi().request("OPTIONS", url, { headers: { ...site, ...wanted }, checked: false });
    expect(preflight.status).toBe(204);
    expect(Object.fromEntries(preflight.headers)).toMatchObject({
      "access-control-allow-origin": "*",
      "access-control-allow-headers": "content-type",
      "access-control-max-age": "86400",
    });
    for (const options of [{ body: {} }, { body: "{" }, { body: "x", headers: { "content-type": "text/html" } }]) {
      const { headers } = await sharedApi().request("POST", url, {
        ...options,
        headers: { ...site, ...options.headers },
      });
      expect(headers.get("access-control-allow-origin")).toBe("*");
      expect(headers.get("access-control-expose-headers")).toBe("Retry-After,X-Request-Id");
      expect(headers.has("access-control-allow-credentials")).toBe(false);
    }
  });

  it.each([
    ["POST", path("track/sale")],
    ["OPTIONS", path("track/refund")],
    ["GET", path("programs/me/readiness")],
    ["GET", path("openapi.json")],
  ])("a page of another site can't read %s %s", async (method, url) => {
    const { headers } = await sharedApi().request(method, url, { headers: site, checked: false });
    expect([...headers.keys()].filter((name) => name.startsWith("access-control"))).toEqual([]);
  });
});
