import { describe, expect, test } from "vitest";
import { key, service } from "./service.ts";

const click = { affiliate_url: "https://shop.example/?aff=anna" };
const envelope = (status: number, name: string, message: string) => ({
  data: null,
  error: { status, name, message, details: {} },
});

describe("HTTP methods", () => {
  test.each([
    ["GET", "/api/v1/track/click", "POST"],
    ["HEAD", "/api/v1/track/sale", "POST"],
    ["PUT", "/api/v1/track/lead", "POST"],
    ["DELETE", "/api/v1/track/refund", "POST"],
    ["OPTIONS", "/api/v1/track/sale", "POST"],
    ["OPTIONS", "/api/v1/track/refund", "POST"],
    ["POST", "/api/v1/openapi.json", "GET, HEAD"],
    ["POST", "/healthz", "GET, HEAD"],
    ["PATCH", "/docs", "GET, HEAD"],
  ])("a call with the wrong method is refused: %s %s", async (method, path, allow) => {
    const { status, headers, body } = await service().send({ method, path });
    expect(status).toBe(405);
    expect(headers.get("Allow")).toBe(allow);
    if (method !== "HEAD") expect(body).toEqual(envelope(405, "MethodNotAllowedError", "Method not allowed"));
  });

  test("readiness refuses methods other than GET, in its own error envelope", async () => {
    const { status, headers, body } = await service().send({ path: "/api/v1/programs/me/readiness", key });
    expect(status).toBe(405);
    expect(headers.get("Allow")).toBe("GET, HEAD");
    expect(body).toEqual({ error: { code: "method_not_allowed", message: "Method not allowed", status: 405 } });
  });

  test.each(["/healthz", "/api/v1/openapi.json", "/docs"])(
    "HEAD %s returns the same as GET, without a body",
    async (path) => {
      const { send } = service();
      const [head, get] = [await send({ method: "HEAD", path }), await send({ method: "GET", path })];
      expect(head).toMatchObject({ status: 200, body: "" });
      expect(head.headers.get("Content-Type")).toBe(get.headers.get("Content-Type"));
    },
  );

  test("HEAD on readiness requires an API key, like GET", async () => {
    expect((await service().send({ method: "HEAD", path: "/api/v1/programs/me/readiness" })).status).toBe(401);
  });
});

test.each([
  ...["/api", "/api/", "/api/v1", "/api/v2/track/click", "/api/v1/track/click/", "/api/v1/track/Click"],
  ...["/api/tracking/click", "/api/v1/track/unknown", "/nothing"],
])("%s returns 404", async (path) => {
  const { send, calls } = service();
  expect(await send({ path, body: click })).toMatchObject({
    status: 404,
    body: envelope(404, "NotFoundError", "Not found"),
  });
  expect(calls).toEqual([]);
});

describe("health checks", () => {
  test("the health check /healthz doesn't depend on the database", async () => {
    const { status, body } = await service().send({ method: "GET", path: "/healthz" });
    expect([status, body]).toEqual([200, { status: "ok" }]);
  });

  test("the health check /readyz returns 503 without the database, and no details", async () => {
    const { status, headers, body } = await service().send({ method: "GET", path: "/readyz" });
    expect(status).toBe(503);
    expect(headers.get("Retry-After")).toBe("5");
    expect(JSON.stringify(body)).not.toMatch(/127\.0\.0\.1|select|fetch/i);
  });
});

describe("request ids", () => {
  const given = async (id: string | undefined) => {
    const { headers } = await service().click(click, id === undefined ? {} : { headers: { "X-Request-Id": id } });
    return headers.get("X-Request-Id") ?? "";
  };

  test.each(["abcdefgh", "a.b_c-D9", "x".repeat(64)])("request ids are the caller's if valid: %s", async (id) => {
    expect(await given(id)).toBe(id);
  });

  test.each([undefined, "short", "x".repeat(65), "with space", 'quote"quote', "semi;colon"])(
    "request ids are created if the caller sends none, or an invalid one: %s",
    async (id) => {
      expect(await given(id)).toMatch(/^[0-9a-f]{32}$/);
      expect(await given(id)).not.toBe(await given(id));
    },
  );

  test.each(["/api/v1/nothing", "/healthz", "/docs"])("the response to %s has a request id", async (path) => {
    expect((await service().send({ method: "GET", path })).headers.get("X-Request-Id")).toMatch(/^[0-9a-f]{32}$/);
  });
});

describe("response headers of the API", () => {
  test.each([
    ["POST", "/api/v1/track/click"],
    ["POST", "/api/v1/track/sale"],
    ["GET", "/api/v1/programs/me/readiness"],
    ["GET", "/api/v1/nothing"],
    ["PUT", "/api/v1/track/sale"],
  ])("response headers prevent caching and content sniffing of the API's response to %s %s", async (method, path) => {
    const { headers } = await service().send({ method, path });
    expect(headers.get("Cache-Control")).toBe("no-store");
    expect(headers.get("X-Content-Type-Options")).toBe("nosniff");
    expect(headers.get("Content-Type")).toMatch(/^application\/json/);
  });
});

describe("cross-origin requests", () => {
  const origin = { Origin: "https://shop.example" };

  test.each(["click", "lead"])(
    "a page of another origin may send no header except Content-Type with a %s",
    async (event) => {
      const headers = {
        ...origin,
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "content-type, authorization",
      };
      const reply = await service().send({ method: "OPTIONS", path: `/api/v1/track/${event}`, headers });
      expect(reply.status).toBe(204);
      expect(Object.fromEntries(reply.headers)).toMatchObject({
        "access-control-allow-origin": "*",
        "access-control-allow-methods": "POST",
        "access-control-allow-headers": "content-type",
        "access-control-max-age": "86400",
      });
      expect(reply.headers.has("Access-Control-Allow-Credentials")).toBe(false);
    },
  );

  test.each([
    ["a success", {}, click],
    ["a refusal", {}, {}],
    ["malformed JSON", {}, "{"],
    ["a limit", { pastLimit: ["CLICK_LIMIT"] }, click],
    ["an outage", { click: { code: "unavailable", retryAfterSeconds: 1 } as const }, click],
    ["a failure", { throws: [new Error("x")] }, click],
    ["a body that is too large", {}, " ".repeat(70_000)],
  ])("a page of another origin can read the response to a click: %s", async (_, script, body) => {
    const { headers } = await service(script).click(body, { headers: origin });
    expect(headers.get("Access-Control-Allow-Origin")).toBe("*");
    expect(headers.get("Access-Control-Expose-Headers")).toBe("Retry-After,X-Request-Id");
  });

  test("a page of another origin can read why its lead was refused for a wrong method or content type", async () => {
    const { send } = service();
    const method = await send({ method: "GET", path: "/api/v1/track/lead", headers: origin });
    const type = await send({
      path: "/api/v1/track/lead",
      body: "x",
      headers: { ...origin, "Content-Type": "text/html" },
    });
    expect([method.status, type.status]).toEqual([405, 415]);
    for (const { headers } of [method, type]) expect(headers.get("Access-Control-Allow-Origin")).toBe("*");
  });

  test.each([
    ["POST", "/api/v1/track/sale"],
    ["OPTIONS", "/api/v1/track/refund"],
    ["GET", "/api/v1/programs/me/readiness"],
    ["GET", "/api/v1/openapi.json"],
    ["GET", "/healthz"],
  ])("a page of another origin can't read the response to %s %s", async (method, path) => {
    const { headers } = await service().send({ method, path, headers: origin });
    expect([...headers.keys()].filter((name) => name.startsWith("access-control"))).toEqual([]);
  });
});
