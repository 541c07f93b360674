import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { sessionApp } from "../../src/routes/session/index.ts";
import { sessionDocument } from "../../src/routes/session/openapi.ts";
import { service } from "./service.ts";

const document = JSON.parse(JSON.stringify(sessionDocument()));
const paths: Readonly<Record<string, Readonly<Record<string, { readonly operationId: string }>>>> = document.paths;

test("is OpenAPI 3.1, and names the server that gives it and the cookie that it takes", async () => {
  const { status, body } = await service().send({ method: "GET", path: "/api/openapi.json" });
  expect(status).toBe(200);
  expect(body).toEqual({ ...document, servers: [{ url: "https://api.example" }] });
  expect(body).toMatchObject({
    openapi: "3.1.0",
    components: { securitySchemes: { session: { in: "cookie", name: "__Host-tributary.session_token" } } },
  });
});

test("is the one in docs/openapi-session.json", async () => {
  const file = await readFile(join(import.meta.dirname, "../../docs/openapi-session.json"), "utf8");
  expect(JSON.parse(file)).toEqual(document);
});

test("has every route but the one that shows it", () => {
  const routes = sessionApp.routes.filter(({ method, path }) => method !== "ALL" && path !== "/api/openapi.json");
  expect(routes.length).toBeGreaterThan(0);
  for (const { method, path } of routes) {
    expect(paths[path.replace(/:(\w+)/g, "{$1}")], path).toHaveProperty(method.toLowerCase());
  }
});

test("names each operation once", () => {
  const ids = Object.values(paths).flatMap((methods) => Object.values(methods).map(({ operationId }) => operationId));
  expect(new Set(ids).size).toBe(ids.length);
});
