import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import { sessionApp } from "#doors/member/index.ts";
import { partnerApp } from "#doors/partner/index.ts";
import { sessionDocument } from "#routes/openapi/member-document.ts";
import { partnerDocument } from "#routes/openapi/partner-document.ts";
import { service } from "./service.ts";

const ofSession = JSON.parse(JSON.stringify(sessionDocument()));

/** The documents of the apps that accept a session cookie. */
const documents = [
  {
    name: "the OpenAPI document of the dashboard",
    path: "/api/openapi.json",
    routes: sessionApp.routes,
    document: ofSession,
    roles: ["viewer", "admin", "owner"],
    examples: 300,
  },
  {
    name: "the OpenAPI document of the partners' app",
    path: "/api/partner/openapi.json",
    routes: partnerApp.routes,
    document: JSON.parse(JSON.stringify(partnerDocument())),
    roles: ["view", "manage"],
    examples: 60,
  },
];

describe.each(documents)("$name", ({ path: servedAt, routes: all, document, roles, examples }) => {
  const paths: Readonly<Record<string, Readonly<Record<string, { readonly operationId: string }>>>> = document.paths;

  test("each app's OpenAPI document is OpenAPI 3.1, and has the server's URL and the session cookie", async () => {
    const { status, body } = await service().send({ method: "GET", path: servedAt });
    expect(status).toBe(200);
    expect(body).toEqual({ ...document, servers: [{ url: "https://api.example" }] });
    expect(body).toMatchObject({
      openapi: "3.1.0",
      components: { securitySchemes: { session: { in: "cookie", name: "__Host-tributary.session_token" } } },
    });
  });

  test("each app's OpenAPI document lists every route of the app except the one that serves the document", () => {
    const routes = all.filter(({ method, path }) => method !== "ALL" && path !== servedAt);
    expect(routes.length).toBeGreaterThan(0);
    for (const { method, path } of routes) {
      expect(paths[path.replace(/:(\w+)/g, "{$1}")], path).toHaveProperty(method.toLowerCase());
    }
  });

  test("each app's OpenAPI document describes each operation", () => {
    const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods as object));
    const mute = operations
      .filter(({ description }) => !description?.endsWith("."))
      .map(({ operationId }) => operationId);
    expect(mute).toEqual([]);
  });

  test("each app's OpenAPI document says that API keys have no access", () => {
    expect(document.info.description).toContain("These endpoints accept no API key.");
    expect(Object.keys(document.components.securitySchemes)).toEqual(["session"]);
  });

  test("each app's OpenAPI document has a unique operationId for each operation", () => {
    const ids = Object.values(paths).flatMap((methods) => Object.values(methods).map(({ operationId }) => operationId));
    expect(new Set(ids).size).toBe(ids.length);
  });

  test("each app's OpenAPI document defines a refusal that several operations share once, as a component", () => {
    const { responses } = document.components;
    const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods as object));
    const refusals = operations.flatMap((operation) => Object.values<{ $ref?: string }>(operation.responses));
    const named = refusals.flatMap(({ $ref }) => $ref ?? []);
    expect(new Set(named)).toEqual(new Set(Object.keys(responses).map((name) => `#/components/responses/${name}`)));
    expect(Object.keys(responses)).toEqual(expect.arrayContaining(["InternalError", "NotFound", "NotSignedIn"]));
    for (const name of new Set(named)) expect(named.filter((other) => other === name).length, name).toBeGreaterThan(1);
    const whole = refusals.filter(({ $ref }) => $ref === undefined).map((refusal) => JSON.stringify(refusal));
    const shared = Object.values(responses).map((response) => JSON.stringify(response));
    expect(whole.filter((text) => shared.includes(text))).toEqual([]);
  });

  test("each app's OpenAPI document doesn't list roles as scopes of the session cookie", () => {
    const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods as object));
    const schemes = operations.flatMap(({ security }) => security.flatMap(Object.values));
    expect(new Set(schemes.map(String))).toEqual(new Set([""]));
    const needed = operations.map((operation) => operation["x-minimum-role"]);
    expect(new Set(needed)).toEqual(new Set([undefined, ...roles]));
  });

  test("each app's OpenAPI document has an example of every body and every response, which matches its schema", () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false, code: { optimize: false } });
    ajv.addSchema(document, "document");
    const faults: Record<string, unknown> = {};
    let seen = 0;
    const look = (content: Content = {}, ...at: readonly string[]) => {
      for (const [type, { example, examples = {} }] of Object.entries(content)) {
        const place = [...at, "content", type, "schema"];
        const pointer = place.map((part) => part.replaceAll("~", "~0").replaceAll("/", "~1")).join("/");
        const validate = ajv.compile({ $ref: `document#/${pointer}` });
        const values = example === undefined ? Object.values(examples).map(({ value }) => value) : [example];
        const wrong = values.filter((value) => !validate(value));
        if (values.length === 0 || wrong.length > 0) faults[place.join(" ")] = { wrong, errors: validate.errors };
        seen += values.length;
      }
    };
    for (const [name, { content }] of Object.entries<Answer>(document.components.responses))
      look(content, "components", "responses", name);
    for (const [path, methods] of Object.entries<Record<string, Described>>(document.paths)) {
      for (const [method, { requestBody, responses }] of Object.entries(methods)) {
        const at = ["paths", path, method];
        look(requestBody?.content, ...at, "requestBody");
        for (const [status, { content }] of Object.entries(responses)) look(content, ...at, "responses", status);
      }
    }
    expect(faults).toEqual({});
    expect(seen).toBeGreaterThan(examples);
  });
});

test("details that only some errors with the code have are optional in the code's schema", () => {
  const { details } = ofSession.components.schemas.LastOwnerFailure.properties.error.properties;
  expect(Object.keys(details.properties.workspaces.items.properties)).toEqual([
    "workspaceId",
    "workspaceName",
    "programs",
  ]);
  expect(details).not.toHaveProperty("required");
});

test("the OpenAPI document allows null for a field for which null has a meaning", () => {
  const { minimumPayoutCents } = ofSession.components.schemas.ProgramChanges.properties;
  expect(minimumPayoutCents.type).toEqual(["integer", "null"]);
});

interface Media {
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}
type Content = Readonly<Record<string, Media>>;
interface Answer {
  readonly content?: Content;
}
interface Described {
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, Answer>>;
}

test.each(["/api/v1/openapi.json", "/api/openapi.json", "/api/partner/openapi.json", "/docs"])(
  "%s isn't sent again to a client that has cached it, unless the client calls the service at another URL",
  async (path) => {
    const { send } = service();
    const get = (headers: Record<string, string> = {}, origin = "https://one.example") =>
      send({ method: "GET", path, headers, origin });
    const first = await get();
    const etag = first.headers.get("ETag") ?? "";
    expect(etag).toMatch(/^"[\w-]{22}"$/);
    expect(first.headers.get("Cache-Control")).toBe("no-cache");
    expect(await get({ "If-None-Match": `"other", W/${etag}` })).toMatchObject({ status: 304, body: "" });
    const other = await get({ "If-None-Match": etag }, "https://two.example");
    expect(other).toMatchObject({ status: 200 });
    expect(JSON.stringify(other.body)).not.toContain("one.example");
    expect((await get()).headers.get("ETag")).toBe(etag);
    expect(JSON.stringify(first.body)).not.toContain("origin.invalid");
  },
);
