import { describe, expect, test } from "vitest";
import { service } from "./service.ts";

const click = { affiliate_url: "https://shop.example/?aff=anna" };
const behindProxy = { ADDRESS_FROM: "peer", TRUSTED_PROXIES: "10.0.0.0/8" };
const proxy = "10.0.0.1:4000";
const stranger = "192.0.2.1:4000";
const local = "127.0.0.1:4000";
const proto = (value: string) => ({ "X-Forwarded-Proto": value });

// With RATE_LIMITS=off, a click above the limit is accepted only from loopback.
const loopback = 200;
const https = 429;
const plainHttp = 403;

test.each([
  ["https://api.example", {}, stranger, https],
  ["https://localhost", {}, proxy, https],
  ["http://localhost:8787", {}, local, loopback],
  ["http://LOCALHOST", {}, local, loopback],
  ["http://shop.api.localhost:8787", {}, local, loopback],
  ["http://127.0.0.1", {}, local, loopback],
  ["http://127.255.0.9:1", {}, local, loopback],
  ["http://[::1]:8787", {}, local, loopback],
  ["http://localhost:8787", {}, "[::1]:4000", loopback],
  ["http://localhost:8787", {}, stranger, plainHttp],
  ["http://127.0.0.1", {}, stranger, plainHttp],
  ["http://[::1]:8787", {}, undefined, plainHttp],
  ["http://api.example", {}, local, plainHttp],
  ["http://api.example", {}, stranger, plainHttp],
  ["http://localhost.example", {}, stranger, plainHttp],
  ["http://notlocalhost", {}, stranger, plainHttp],
  ["http://127.0.0.1.example", {}, stranger, plainHttp],
  ["http://128.0.0.1", {}, stranger, plainHttp],
  ["http://[::2]", {}, stranger, plainHttp],
  ["http://0.0.0.0:8787", {}, stranger, plainHttp],
  ["http://api.example", proto("https"), proxy, https],
  ["http://api.example", proto("HTTPS"), proxy, https],
  ["http://localhost", proto("https"), proxy, https],
  ["http://api.example", proto("http"), proxy, plainHttp],
  ["http://api.example", proto("http, https"), proxy, plainHttp],
  ["http://api.example", proto("https"), stranger, plainHttp],
  ["http://localhost", proto("https"), stranger, plainHttp],
  ["http://localhost", proto("http"), proxy, plainHttp],
  ["http://localhost", { Forwarded: "for=192.0.2.1" }, stranger, plainHttp],
  ["http://localhost", { Via: "1.1 proxy" }, stranger, plainHttp],
  ["http://localhost", { "X-Forwarded-For": "192.0.2.1" }, stranger, plainHttp],
  ["http://localhost", { "X-Forwarded-Host": "api.example" }, stranger, plainHttp],
  ["http://localhost", { "X-Real-IP": "192.0.2.1" }, stranger, plainHttp],
])("a call to %s with headers %o from peer %s returns %i", async (origin, headers, clientIp, status) => {
  const env = { ...behindProxy, RATE_LIMITS: "off" };
  const { click: send } = service({ pastLimit: ["CLICK_LIMIT"], env });
  const reply = await send(click, { origin, headers, cf: { clientIp } });
  expect(reply.status).toBe(status);
  expect(reply.headers.get("Strict-Transport-Security")).toBe(status === https ? "max-age=31536000" : null);
});

describe("plain http from another host", () => {
  const origin = "http://api.example";
  const refused = { data: null, error: { status: 403, name: "ForbiddenError", message: "Use https.", details: {} } };

  test.each([
    ["GET", "/"],
    ["HEAD", "/docs?x=1"],
    ["GET", "/app/programs/1/overview?period=30d"],
    ["GET", "/nothing/here"],
  ])("a call over plain http from another machine is redirected to https: %s %s", async (method, path) => {
    const { status, headers } = await service().send({ origin: `${origin}:8787`, method, path });
    expect([status, headers.get("Location")]).toEqual([308, `https://api.example${path}`]);
  });

  test("a redirect of a page from plain http leads to the service's BASE_URL if BASE_URL is an https URL", async () => {
    const leadsTo = async (BASE_URL: string) => {
      const { headers } = await service({ env: { BASE_URL } }).send({ origin, method: "GET", path: "/docs?x=1" });
      return headers.get("Location");
    };
    expect(await leadsTo("https://tributary.example:9443")).toBe("https://tributary.example:9443/docs?x=1");
    expect(await leadsTo("http://tributary.example")).toBe("https://api.example/docs?x=1");
  });

  test.each([
    ["POST", "/api/v1/track/click"],
    ["POST", "/api/v1/track/sale"],
    ["GET", "/api/v1/programs/me/readiness"],
    ["GET", "/api/v1/openapi.json"],
    ["POST", "/api/auth/sign-in/email"],
    ["GET", "/api/workspaces"],
    ["GET", "/api/nothing"],
    ["GET", "/api"],
    ["POST", "/docs"],
    ["DELETE", "/app/"],
  ])("plain http from another machine is refused for %s %s", async (method, path) => {
    const { send, calls } = service();
    const { status, body, headers } = await send({ origin, method, path });
    expect({ status, body }).toEqual({ status: 403, body: refused });
    expect(headers.get("X-Request-Id")).not.toBeNull();
    expect(calls).toEqual([]);
  });

  test.each(["click", "lead"])("a page of any site can read why its %s over plain http was refused", async (event) => {
    for (const method of ["POST", "OPTIONS"]) {
      const { status, headers } = await service().send({ origin, method, path: `/api/v1/track/${event}` });
      expect(status).toBe(403);
      expect(headers.get("Access-Control-Allow-Origin")).toBe("*");
      expect(headers.get("Cache-Control")).toBe("no-store");
    }
  });

  test("a page of another origin can't read why a sale over plain http was refused", async () => {
    const { headers } = await service().send({ origin, path: "/api/v1/track/sale" });
    expect(headers.has("Access-Control-Allow-Origin")).toBe(false);
  });

  test("plain http from another machine is accepted for a health check", async () => {
    expect((await service().send({ origin, method: "GET", path: "/healthz" })).status).toBe(200);
  });
});

describe("the setting INSECURE_HTTP", () => {
  const env = { ...behindProxy, INSECURE_HTTP: "on" };

  test("with the setting INSECURE_HTTP, a call over plain http from another machine is accepted, and rate limits apply to it", async () => {
    const sent = { origin: "http://10.1.1.1:8787", cf: { clientIp: stranger } };
    const served = await service({ env }).click(click, sent);
    expect(served.status).toBe(200);
    expect(served.headers.has("Strict-Transport-Security")).toBe(false);
    const unlimited = service({ pastLimit: ["CLICK_LIMIT"], env: { ...env, RATE_LIMITS: "off" } });
    expect((await unlimited.click(click, sent)).status).toBe(429);
  });

  test("the setting INSECURE_HTTP doesn't change https calls", async () => {
    const reply = await service({ env }).click(click, { headers: proto("https"), cf: { clientIp: proxy } });
    expect(reply.headers.get("Strict-Transport-Security")).toBe("max-age=31536000");
  });
});

test.each([
  ["GET", "/docs"],
  ["GET", "/nothing"],
  ["PUT", "/api/v1/track/click"],
  ["OPTIONS", "/api/v1/track/click"],
  ["GET", "/api/workspaces"],
])("the response to %s %s over https has HSTS, whatever the status", async (method, path) => {
  const { headers } = await service().send({ method, path });
  expect(headers.get("Strict-Transport-Security")).toBe("max-age=31536000");
});

test("URLs in responses have the host to which the client sent the call", async () => {
  const sent = { origin: "http://api.example", method: "GET", headers: proto("https"), cf: { clientIp: proxy } };
  const { send } = service({ env: behindProxy });
  for (const path of ["/api/v1/openapi.json", "/api/openapi.json"]) {
    const { body } = await send({ ...sent, path });
    expect(body).toMatchObject({ servers: [{ url: "https://api.example" }] });
  }
});
