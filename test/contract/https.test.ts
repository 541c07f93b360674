import { randomUUID } from "node:crypto";
import { request } from "node:http";
import { describe, expect, it } from "vitest";
import { createSession } from "../../harness/session.ts";
import { isolatedService } from "../support/isolated-service.ts";
import { sharedApi, sharedService } from "../support/shared-service.ts";

/** Calls the service with the given Host header. */
function byName(
  host: string,
  method: string,
  path: string,
): Promise<{ status: number; location: string; text: string }> {
  return new Promise((resolve, reject) => {
    const outgoing = request(sharedService.url + path, { method, headers: { host } }, async (answer) => {
      let text = "";
      for await (const chunk of answer.setEncoding("utf8")) text += chunk;
      resolve({ status: answer.statusCode ?? 0, location: answer.headers.location ?? "", text });
    });
    outgoing.once("error", reject);
    outgoing.end();
  });
}

describe("over plain http with a host that isn't loopback", () => {
  it.each(["/", "/app/", "/app/programs/1/overview?period=7d", "/docs"])(
    "over plain http with a host that isn't loopback, %s redirects to https",
    async (path) => {
      expect(await byName("tributary.example:8787", "GET", path)).toMatchObject({
        status: 308,
        location: `https://tributary.example${path}`,
      });
    },
  );

  it.each([
    ["POST", "/api/v1/track/click"],
    ["GET", "/api/v1/programs/me/readiness"],
    ["GET", "/api/workspaces"],
    ["POST", "/app/"],
  ])("over plain http with a host that isn't loopback, %s %s is refused", async (method, path) => {
    const { status, text } = await byName("tributary.example", method, path);
    expect(status).toBe(403);
    expect(JSON.parse(text)).toMatchObject({ data: null, error: { name: "ForbiddenError", message: "Use https." } });
  });

  it.each(["/healthz", "/readyz", "/js/svc-tracker.js"])(
    "over plain http with a host that isn't loopback, %s is served",
    async (path) => {
      expect((await byName("tributary.example", "GET", path)).status).toBe(200);
    },
  );
});

it("the dashboard and the API are served over plain http for any loopback host", async () => {
  for (const host of ["localhost", "shop.localhost:8787", "127.9.9.9", "[::1]"]) {
    expect((await byName(host, "GET", "/app/")).status, host).toBe(200);
    expect((await byName(host, "GET", "/api/workspaces")).status, host).toBe(401);
  }
});

const forwarded = { origin: sharedService.url.replace("http:", "https:"), "x-forwarded-proto": "https" };
const signUpPath = "/api/auth/sign-up/email";
const person = () => ({ name: "Ann", email: `ann-${randomUUID()}@shop.example`, password: `correct ${randomUUID()}` });

describe("a proxy that terminates TLS", () => {
  const distrusting = isolatedService({ vars: { TRUSTED_PROXIES: "192.0.2.1" } });

  it("a trusted proxy that terminates TLS is recognized: the origin, the cookie and HSTS are those of https", async () => {
    const reply = await createSession(sharedService.url).post(signUpPath, person(), { headers: forwarded });
    expect(reply.status).toBe(200);
    expect(reply.headers.get("strict-transport-security")).toBe("max-age=31536000");
    expect(reply.headers.getSetCookie()[0]).toMatch(/^__.*; Secure/);
    const plain = { ...forwarded, origin: sharedService.url };
    expect((await createSession(sharedService.url).post(signUpPath, person(), { headers: plain })).status).toBe(403);
  });

  it("a proxy that terminates TLS is ignored if it isn't trusted", async () => {
    const reply = await createSession(distrusting.service.url).post(signUpPath, person(), { headers: forwarded });
    expect(reply).toMatchObject({ status: 403, body: { error: { message: "Use https." } } });
    expect(reply.headers.getSetCookie()).toEqual([]);
  });

  it("a proxy that forwards to a loopback host doesn't make a remote client count as local", async () => {
    const headers = { "x-forwarded-for": "192.0.2.1" };
    const reply = await sharedApi().click({ affiliate_url: "https://shop.example/?aff=none" }, { headers });
    expect(reply).toMatchObject({ status: 403, body: { error: { message: "Use https." } } });
    expect(reply.headers.get("access-control-allow-origin")).toBe("*");
  });
});

it("static files have HSTS", async () => {
  const { headers } = await sharedApi().request("GET", "/js/svc-tracker.js", { checked: false });
  expect(headers.get("strict-transport-security")).toBe("max-age=31536000");
});
