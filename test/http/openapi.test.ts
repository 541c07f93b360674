import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { publicApp } from "#app.ts";
import { programApp } from "#doors/key/index.ts";
import { document, faultsBySchema } from "./document.ts";
import { service } from "./service.ts";

interface Example {
  readonly name: string;
  readonly value: unknown;
  readonly place: readonly string[];
}

interface Content {
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}

interface Operation {
  readonly operationId: string;
  readonly description?: string;
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Content>> };
  readonly responses: Readonly<Record<string, { readonly content: Readonly<Record<string, Content>> }>>;
}

const paths: Readonly<Record<string, Readonly<Record<string, Operation>>>> = document.paths;
const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);

const media = operations.flatMap(({ path, method, operation }) => {
  const at = ["paths", path, method];
  const bodies = Object.entries(operation.requestBody?.content ?? {}).map(
    ([type, content]) => [content, [...at, "requestBody", "content", type, "schema"]] as const,
  );
  const answers = Object.entries(operation.responses).flatMap(([status, { content }]) =>
    Object.entries(content).map(
      ([type, media]) => [media, [...at, "responses", status, "content", type, "schema"]] as const,
    ),
  );
  return [...bodies, ...answers];
});

const examples: readonly Example[] = media.flatMap(([{ example, examples = {} }, place]) => [
  ...Object.entries(examples).map(([name, { value }]) => ({ name, value, place })),
  ...(example === undefined ? [] : [{ name: `the example of ${place.slice(1, -3).join(" ")}`, value: example, place }]),
]);

describe("the OpenAPI document", () => {
  test("the OpenAPI document is OpenAPI 3.1, and contains the server's URL", async () => {
    const { status, body } = await service().send({ method: "GET", path: "/api/v1/openapi.json" });
    expect(status).toBe(200);
    expect(body).toEqual({ ...document, servers: [{ url: "https://api.example" }] });
    expect(body).toMatchObject({ openapi: "3.1.0" });
  });

  test("the OpenAPI document equals docs/openapi.json", async () => {
    const file = await readFile(join(import.meta.dirname, "../../docs/openapi.json"), "utf8");
    expect(JSON.parse(file)).toEqual(document);
  });

  test("the OpenAPI document lists every route except those of the document and of the API reference page", () => {
    const undescribed = ["/api/v1/openapi.json", "/docs"];
    const routes = [...publicApp.routes, ...programApp.routes].filter(
      ({ method, path }) => method !== "ALL" && !undescribed.includes(path),
    );
    expect(routes.length).toBeGreaterThan(0);
    for (const { method, path } of routes.filter(({ path }) => /^\/(api\/v1|healthz|readyz)/.test(path))) {
      expect(paths[path.replace(/:(\w+)/g, "{$1}")], path).toHaveProperty(method.toLowerCase());
    }
  });

  test("the OpenAPI document describes each operation", () => {
    const mute = operations.filter(({ operation }) => !operation.description?.endsWith("."));
    expect(mute.map(({ path }) => path)).toEqual([]);
  });

  test("the OpenAPI document has a unique operationId for each operation", () => {
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test.each([
    ["/api/v1/track/click", "post", [200, 400, 401, 403, 408, 413, 415, 429, 500, 503]],
    ["/api/v1/track/lead", "post", [200, 400, 401, 403, 408, 413, 415, 429, 500, 503]],
    ["/api/v1/track/sale", "post", [200, 400, 401, 403, 408, 409, 413, 415, 429, 500, 503]],
    ["/api/v1/track/refund", "post", [200, 400, 401, 403, 404, 408, 409, 413, 415, 429, 500, 503]],
    ["/api/v1/programs/me/readiness", "get", [200, 401, 403, 429, 500, 503]],
    ["/api/v1/programs/me/verification", "post", [200, 401, 403, 429, 500, 503]],
    ["/healthz", "get", [200]],
    ["/readyz", "get", [200, 500, 503]],
  ])("the OpenAPI document lists every possible status of %s", (path, method, statuses) => {
    const responses = paths[path]?.[method]?.responses ?? {};
    expect(Object.keys(responses).map(Number)).toEqual(statuses);
  });

  test("the OpenAPI document has an example of every body and every response", () => {
    const mute = media.filter(([, place]) => !examples.some((example) => example.place === place));
    expect(mute.map(([, place]) => place)).toEqual([]);
  });

  test("the OpenAPI document states the scopes of each operation that needs a key, in the operation's security and description", () => {
    const keyed = operations.filter(
      ({ path, operation }) => path.startsWith("/api/v1/") && operation.security?.length !== 0,
    );
    const silent = keyed.filter(({ operation: { description = "", security = [] } }) => {
      const scopes = security.flatMap(({ programKey = [] }) => programKey);
      const words = scopes.map((scope) => `\`${scope}\``).join(" or ");
      return scopes.length === 0 || !description.endsWith(`key needs the scope ${words}.`);
    });
    expect(silent.map(({ path }) => path)).toEqual([]);
  });

  test.each(examples)("the OpenAPI document has an example that matches its schema: $name", ({ value, place }) => {
    expect(faultsBySchema(value, ...place)).toEqual([]);
  });

  const answerOf = (path: string, method: string, status: string) =>
    ["paths", path, method, "responses", status, "content", "application/json", "schema"] as const;

  test("the OpenAPI document has a schema with types for the details of errors", () => {
    const conflict = (details: object) => ({
      data: null,
      error: { status: 409, name: "ConflictError", message: "Duplicate", details },
    });
    const commission = {
      amount_cents: 1,
      currency: "EUR",
      status: "void",
      hold_until: null,
      unconfirmed: false,
      held: false,
    };
    const first = {
      sale_id: 1,
      commission_id: 2,
      is_recurring: false,
      attributed: false,
      partner_code: null,
      source: null,
      commission,
      same_request: true,
      differences: [],
    };
    const place = answerOf("/api/v1/track/sale", "post", "409");
    expect(faultsBySchema(conflict(first), ...place)).toEqual([]);
    expect(faultsBySchema(conflict({}), ...place)).toHaveLength(9);
    expect(faultsBySchema(conflict({ ...first, differences: "amount_cents" }), ...place)).toHaveLength(1);
    const wrongStatus = { ...conflict(first), error: { ...conflict(first).error, status: 400 } };
    expect(faultsBySchema(wrongStatus, ...place)).toHaveLength(1);
    const { schemas } = document.components;
    const names = (status: string) => {
      const { $ref } = document.paths["/api/v1/track/sale"].post.responses[status].content["application/json"].schema;
      return Object.keys(schemas[$ref.split("/").at(-1)].properties.error.properties.details.properties);
    };
    expect(names("400")).toEqual(["errors", "code", "field", "unknown_subscription_id"]);
    expect(names("429")).toEqual(["retry_after_seconds"]);
  });

  test("the OpenAPI document lists the headers that clients read", () => {
    const of = (path: string, method: string, status: string) =>
      Object.keys(document.paths[path][method].responses[status].headers);
    const limits = ["RateLimit-Policy", "X-RateLimit-Limit"];
    expect(of("/api/v1/track/sale", "post", "200")).toEqual([
      "X-Request-Id",
      ...limits,
      "Deprecation",
      "Sunset",
      "Link",
    ]);
    expect(of("/api/v1/track/sale", "post", "429")).toEqual(["X-Request-Id", "Retry-After", ...limits]);
    expect(of("/api/v1/track/click", "post", "503")).toEqual(["X-Request-Id", "Retry-After"]);
    expect(of("/healthz", "get", "200")).toEqual(["X-Request-Id"]);
  });

  test.each([
    ["sale", "transaction_id", { amount_cents: 1, customer_key: "a" }],
    ["click", "affiliate_url", {}],
  ])("by the OpenAPI document's schema, null is invalid for a %s's %s", (event, field, rest) => {
    const schema = ["paths", `/api/v1/track/${event}`, "post", "requestBody", "content", "application/json", "schema"];
    expect(faultsBySchema({ ...rest, [field]: null }, ...schema)).toHaveLength(1);
  });

  test.each([
    ["click", "affiliate_url"],
    ["sale", "transaction_id", "amount_cents"],
    ["refund", "transaction_id"],
  ])("the OpenAPI document lists the required fields of a %s", (event, ...fields) => {
    const schema = ["paths", `/api/v1/track/${event}`, "post", "requestBody", "content", "application/json", "schema"];
    expect(faultsBySchema({}, ...schema)).toHaveLength(fields.length);
  });
});

describe("the API reference page", () => {
  test("the API reference page is served with a Content-Security-Policy that allows only the search script", async () => {
    const { status, headers, body } = await service().send({ method: "GET", path: "/docs" });
    expect(status).toBe(200);
    expect(headers.get("Content-Type")).toMatch(/^text\/html/);
    const page = String(body);
    const [, style = ""] = /<style>(.*?)<\/style>/s.exec(page) ?? [];
    const hash = createHash("sha256").update(style).digest("base64");
    expect(headers.get("Content-Security-Policy")).toBe(
      `default-src 'none'; script-src 'self'; connect-src 'self'; img-src 'self'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    );
    const search = '<script src="/docs/guides/search.js" type="module"></script>';
    expect(page.replace(search, "")).not.toMatch(
      /<script|<link|<img|style=| on\w+=|https?:\/\/(?!api\.example|shop\.example)/,
    );
  });

  test("the API reference page shows every operation, field and status", async () => {
    const { body } = await service().send({ method: "GET", path: "/docs" });
    const page = String(body);
    for (const { path, operation } of operations) {
      expect(page).toContain(path);
      expect(page).toContain(`id="${operation.operationId}"`);
      for (const status of Object.keys(operation.responses)) expect(page).toContain(status);
    }
    for (const name of [
      "affiliate_url",
      "additional_data.test_mode",
      "attributed_sales.sale_id",
      "commission.hold_until",
    ]) {
      expect(page).toContain(`<code>${name}</code>`);
    }
    expect(page).toContain('id="key-rotation"');
    expect(page).toContain("/api/v1/track/lead <small>API key optional, scope track</small>");
    expect(page).toContain("/api/v1/programs/me/partners <small>API key required, scope read or manage</small>");
    expect(page).toContain("/healthz <small>no API key</small>");
    expect(page).not.toMatch(/undefined|\[object/);
  });
});
