import { readdirSync } from "node:fs";
import { join, relative } from "node:path";
import { beforeAll, describe, expect, inject, it } from "vitest";
import { publicApp } from "#app.ts";
import { programApp } from "#doors/key/index.ts";
import { sessionApp } from "#doors/member/index.ts";
import { operatorApp } from "#doors/operator/index.ts";
import { uniqueIp } from "../../harness/client.ts";
import { signUp, type User } from "../../harness/session.ts";
import { createWorld, type World } from "../../harness/world.ts";
import { sessionOperations } from "../support/session-operations.ts";
import { sharedService } from "../support/shared-service.ts";

/** Every security header and its expected value. Null means that the header is absent. */
const none = {
  "access-control-allow-credentials": null,
  "access-control-allow-origin": null,
  "cache-control": null,
  "content-security-policy": null,
  "cross-origin-opener-policy": null,
  "cross-origin-resource-policy": null,
  "permissions-policy": null,
  "referrer-policy": null,
  "x-content-type-options": "nosniff",
  "x-frame-options": null,
} as const;

/** JSON responses and downloads: never cached, never framed. */
const api = {
  ...none,
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-frame-options": "DENY",
};
/** Calls that browsers can make from any site. The response doesn't depend on the origin, so it has no Vary. */
const anySite = { ...api, "access-control-allow-origin": "*", "cross-origin-resource-policy": "cross-origin" };
const page = {
  ...api,
  "cache-control": expect.stringMatching(/^(no-cache|public, max-age=0, must-revalidate)$/),
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
    "font-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  "cross-origin-opener-policy": "same-origin",
  "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
  "referrer-policy": "same-origin",
};
const docs = {
  ...api,
  "cache-control": "no-cache",
  "content-security-policy": expect.stringMatching(
    /^default-src 'none'; script-src 'self'; connect-src 'self'; img-src 'self'; style-src 'sha256-\S+'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/,
  ),
};
const noGuide = { ...page, "cache-control": "no-store" };
/** A page outside the dashboard. */
const plain = {
  ...page,
  "cache-control": "no-store",
  "content-security-policy": expect.stringMatching(
    /^default-src 'none'; style-src 'sha256-\S+'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'$/,
  ),
  "referrer-policy": "no-referrer",
};
const document = { ...api, "cache-control": "no-cache" };
const forEver = "public, max-age=31536000, immutable";
const part = { ...page, "cache-control": forEver };
const script = {
  ...none,
  "access-control-allow-origin": "*",
  "cache-control": expect.stringMatching(/^public, max-age=0, must-revalidate$/),
  "cross-origin-resource-policy": "cross-origin",
};

type Expected = Readonly<Record<keyof typeof none, unknown>>;

const send = (path: string, init: RequestInit = {}) =>
  fetch(sharedService.url + path, {
    redirect: "manual",
    ...init,
    headers: { "cf-connecting-ip": uniqueIp(), origin: "https://evil.example", ...init.headers },
  });

async function expectHeaders(response: Response, expected: Expected): Promise<void> {
  await response.body?.cancel();
  const { headers } = response;
  expect(Object.fromEntries(Object.keys(none).map((name) => [name, headers.get(name)]))).toEqual(expected);
  if (headers.has("set-cookie")) expect(headers.get("cache-control")).toBe("no-store");
}

const kindOf = (path: string): Expected => {
  if (path.startsWith("/api/v1/track/click") || path.startsWith("/api/v1/track/lead")) return anySite;
  if (path === "/docs") return docs;
  if (path.endsWith("/openapi.json")) return document;
  if (path.startsWith("/api/mail/unsubscribe/")) return plain;
  if (path.startsWith("/docs/guides/")) return noGuide;
  return /^\/(app|partner)\//.test(path) ? page : api;
};

const routes = [...publicApp.routes, ...programApp.routes, ...sessionApp.routes, ...operatorApp.routes]
  .filter(({ method }) => method !== "ALL")
  .map(({ method, path }) => ({ method, path: path.replaceAll(/:\w+/g, "1").replace("*", "programs/1") }))
  .filter(({ method, path }, i, all) => all.findIndex((one) => one.method === method && one.path === path) === i);

describe("security headers of each route", () => {
  it.each(routes)("the response to $method $path has its route's security headers", async ({ method, path }) => {
    const body = method === "GET" ? {} : { body: "{}", headers: { "content-type": "application/json" } };
    await expectHeaders(await send(path, { method, ...body }), kindOf(path));
    const otherMethod = method === "GET" || kindOf(path) === plain ? "DELETE" : "GET";
    await expectHeaders(await send(path, { method: otherMethod }), {
      ...kindOf(path),
      ...(path === "/" || kindOf(path) !== anySite ? api : {}),
    });
  });
});

describe("a response to a dashboard user", () => {
  let user: User;
  let world: World;
  beforeAll(async () => {
    user = await signUp(sharedService.url);
    world = await createWorld(sharedService.databaseUrl, { members: [{ user, role: "owner" }] });
  });

  it("a response to a dashboard user has the headers that prevent caching and framing", async () => {
    const reads = (await sessionOperations(sharedService.url)).filter(({ isWrite }) => !isWrite);
    expect(reads.length).toBeGreaterThan(10);
    for (const { call } of reads) await expectHeaders(new Response(null, await call(user, world)), api);
    const csv = await user.get(`/api/programs/${world.programId}/commissions?format=csv`, { checked: false });
    expect(csv.status).toBe(200);
    await expectHeaders(new Response(null, csv), api);
    await expectHeaders(new Response(null, await user.get("/api/auth/get-session")), api);
  });
});

describe("security headers of unknown routes", () => {
  it.each([
    "/nothing",
    "/api/nothing",
    "/api/v1/nothing",
    "/js/nothing.js",
    "/docs/documents/tracking.json",
    "/sdk/nothing.tgz",
    "/app/assets/nothing.js",
    "/partner/assets/nothing.js",
  ])("the response to the unknown path %s has the security headers", async (path) => {
    const response = await send(path);
    expect(response.status).toBe(404);
    await expectHeaders(response, api);
  });
});

it("a preflight response has the security headers", async () => {
  const headers = { "access-control-request-method": "POST" };
  await expectHeaders(await send("/api/v1/track/click", { method: "OPTIONS", headers }), anySite);
});

describe("security headers of each static file", () => {
  const directory = inject("built").publicDirectory;
  const files = readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.startsWith("_"))
    .map((entry) => `/${relative(directory, join(entry.parentPath, entry.name))}`)
    // Only the Worker reads these files; they aren't served.
    .filter((path) => !path.startsWith("/docs/documents/") && path !== "/embed/index.html");

  const kindOfFile = (path: string): Expected => {
    if (path === "/js/svc-tracker.js")
      return { ...script, "cache-control": "public, max-age=3600, stale-while-revalidate=86400" };
    if (/^\/js\/svc-tracker\.[0-9a-f]{16}\.js$/.test(path)) return { ...script, "cache-control": forEver };
    if (path.startsWith("/js/")) return script;
    if (path === "/robots.txt") return { ...none, "cache-control": "public, max-age=0, must-revalidate" };
    if (path === "/favicon.svg") return { ...none, "cache-control": "public, max-age=86400" };
    if (path.startsWith("/sdk/")) return { ...none, "cache-control": forEver };
    if (path.startsWith("/docs/guides/") || path === "/llms.txt")
      return { ...page, "cache-control": "public, max-age=300, stale-while-revalidate=86400" };
    return /^\/(app|partner|embed)\/assets\//.test(path) ? part : page;
  };

  it.each(files)("the response to the static file %s has the security headers", async (path) => {
    const response = await send(path.replace(/index\.html$/, ""));
    expect(response.status).toBe(200);
    await expectHeaders(response, kindOfFile(path));
  });
});

it("the redirect to the icon has the security headers", async () => {
  const response = await send("/favicon.ico");
  expect([response.status, response.headers.get("location")]).toEqual([302, "/favicon.svg"]);
  await expectHeaders(response, none);
});

it("the redirect to the newest SDK has the security headers", async () => {
  const response = await send("/sdk.tgz");
  expect(response.status).toBe(302);
  expect(response.headers.get("location")).toBe(`/${inject("sdk").newestFile}`);
  await expectHeaders(response, { ...none, "cache-control": "no-cache" });
});
