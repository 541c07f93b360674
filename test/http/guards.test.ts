import { describe, expect, test } from "vitest";
import { publicApp } from "#app.ts";
import { mintOperatorToken } from "#domain/operator-token.ts";
import { embedApp } from "#doors/embed/index.ts";
import { sessionApp } from "#doors/member/index.ts";
import { operatorApp } from "#doors/operator/index.ts";
import { partnerApp } from "#doors/partner/index.ts";
import { openApiDocument } from "#routes/openapi/document.ts";
import { sessionDocument } from "#routes/openapi/member-document.ts";
import { partnerDocument } from "#routes/openapi/partner-document.ts";
import { service } from "./service.ts";

/** Routes that are intentionally public. A new route must be guarded or added here. */
const forAnyone = [
  "GET /",
  "GET /app/*",
  "GET /partner/*",
  "GET /api/join/:slug",
  "POST /api/join/:slug/estimate",
  "GET /healthz",
  "GET /readyz",
  "GET /docs",
  "GET /docs/guides/*",
  "GET /api/v1/openapi.json",
  "GET /api/openapi.json",
  "POST /api/v1/track/click",
  "POST /api/v1/track/lead",
  "POST /api/auth/sign-up/email",
  "POST /api/auth/sign-up/check",
  "POST /api/auth/sign-in/email",
  "POST /api/auth/sign-in/totp",
  "POST /api/auth/sign-out",
  "POST /api/auth/forgot-password",
  "POST /api/auth/reset-password",
  "POST /api/auth/verify-email",
  "GET /api/auth/get-session",
  "GET /api/auth/sign-up",
  "GET /api/auth/oidc",
  "POST /api/auth/oidc",
  "GET /api/auth/oidc/callback",
  "POST /api/invitations/show",
  "GET /api/mail/unsubscribe/:token",
  "POST /api/mail/unsubscribe/:token",
  "GET /api/partner/openapi.json",
  "GET /api/embed/openapi.json",
  "GET /embed/:embedId",
  "POST /api/partner/invitations/preview",
];

/** Routes for any signed-in user, without a membership. */
const forAnyUser = [
  "POST /api/join/:slug",
  "GET /api/join/:slug/application",
  "GET /api/locations",
  "POST /api/auth/change-password",
  "POST /api/auth/update-user",
  "POST /api/auth/reauthenticate",
  "POST /api/auth/send-verification",
  "POST /api/auth/totp",
  "POST /api/auth/totp/confirm",
  "GET /api/auth/totp",
  "POST /api/auth/totp/recovery-codes",
  "DELETE /api/auth/totp",
  "DELETE /api/auth/user",
  "GET /api/auth/activity",
  "GET /api/notifications",
  "PUT /api/notifications",
  "POST /api/auth/oidc/link",
  "POST /api/auth/oidc/confirm",
  "GET /api/auth/identity",
  "DELETE /api/auth/identity",
  "GET /api/auth/list-sessions",
  "POST /api/auth/revoke-session",
  "POST /api/auth/revoke-other-sessions",
  "GET /api/workspaces",
  "POST /api/workspaces",
  "POST /api/invitations/accept",
  "POST /api/partner/invitations/accept",
  "GET /api/partner/programs",
];

const routes = [publicApp, sessionApp, partnerApp, embedApp, operatorApp]
  .flatMap((app) => app.routes)
  .filter(({ method }) => method !== "ALL")
  .map(({ method, path }) => `${method} ${path}`)
  .filter((route, i, all) => all.indexOf(route) === i);
const isForOperator = (route: string) => route.includes(" /api/operator/");
const isForEmbed = (route: string) => route.includes(" /api/embed/");
const isForPeople = (route: string) => !route.includes(" /api/v1/") && !isForOperator(route) && !isForEmbed(route);

const askedBy = (route: string): string => {
  if (isForOperator(route)) return "Missing operator token.";
  if (isForEmbed(route)) return "The token is missing, invalid or expired";
  return isForPeople(route) ? "Sign in first." : "Missing API key.";
};
const guarded = routes.filter((route) => !forAnyone.includes(route));

/** Replaces each path parameter with an id. */
const call = (route: string, headers: Record<string, string> = {}) => {
  const [method = "", path = ""] = route.split(" ");
  return service().send({
    method,
    path: path.replaceAll(/:\w+/g, "1"),
    headers: { ...headers, Origin: "https://api.example" },
    ...(method === "GET" ? {} : { body: {} }),
  });
};

test("every route in the list of public routes exists", () => {
  expect(forAnyone.filter((route) => !routes.includes(route))).toEqual([]);
});

describe("a call without a credential", () => {
  test.each(guarded)("a call to %s without a credential is refused", async (route) => {
    const { status, body } = await call(route);
    expect(status).toBe(401);
    expect(JSON.stringify(body)).toContain(askedBy(route));
  });
});

describe("a call with the wrong kind of credential", () => {
  test.each(guarded.filter((route) => isForPeople(route) || isForEmbed(route)))(
    "an API key can't call %s",
    async (route) => {
      expect((await call(route, { Authorization: "Bearer svc_1_x" })).status).toBe(401);
    },
  );
  test.each(guarded.filter((route) => !isForPeople(route)))("a session can't call %s", async (route) => {
    expect((await call(route, { Cookie: "tributary.session_token=x" })).status).toBe(401);
  });
});

describe("the operator routes", () => {
  const secret = "the-token-of-the-database";
  const env = { DATABASE_AUTH_TOKEN: secret };
  const step = { step: "abandon", programId: 1, moveId: 1, shard: 0, to: 0, frozenForMs: 0 };
  const until = () => Date.now() + 60_000;
  const sentWith = (route: string) => {
    const [method = "", path = ""] = route.split(" ");
    return { method, path, body: method === "GET" ? "" : JSON.stringify({ ids: [1], ...step }) };
  };
  const tokenFor = (route: string, of = secret, expiresAt = until()) => {
    const { body, ...call } = sentWith(route);
    return mintOperatorToken(of, call, body, expiresAt);
  };
  const ask = (route: string, token: string, script: Parameters<typeof service>[0] = { env }) => {
    const { body, ...call } = sentWith(route);
    return service(script).send({ ...call, key: token, ...(body !== "" && { body }) });
  };
  const operators = guarded.filter(isForOperator);

  test("there are four operator routes", () => expect(operators).toHaveLength(4));

  test.each(operators)("the operator routes accept an operator token until it expires: %s", async (route) => {
    const { status, headers } = await ask(route, tokenFor(route));
    // The stub Ledger returns no response.
    expect(status).toBe(503);
    expect(headers.get("RateLimit-Policy")).toBe(
      route.startsWith("GET ") ? '"userRead";q=60;w=60' : '"userWrite";q=60;w=60',
    );
    for (const wrong of [
      tokenFor(route, secret, Date.now() - 1),
      tokenFor(route, ""),
      ...operators.filter((other) => other !== route).map((other) => tokenFor(other)),
      secret,
      "svc_1_x",
    ]) {
      const { status, body } = await ask(route, wrong);
      expect(status).toBe(401);
      expect(JSON.stringify(body)).toContain("Invalid or expired operator token");
    }
  });

  test("the operator routes accept a token only for the body that it was created for", async () => {
    const route = operators.find((each) => each.endsWith("/discard")) ?? "";
    const { body, ...call } = sentWith(route);
    for (const other of [body.replace("[1]", "[2]"), `${body} `]) {
      const { status } = await service({ env }).send({ ...call, key: tokenFor(route), body: other });
      expect(status, other).toBe(401);
    }
  });

  test.each(operators)(
    "the operator routes refuse every token if the service has no database token to check it with: %s",
    async (route) => {
      for (const DATABASE_AUTH_TOKEN of [undefined, ""]) {
        const { status } = await ask(
          route,
          tokenFor(route, ""),
          DATABASE_AUTH_TOKEN === "" ? { env: { DATABASE_AUTH_TOKEN } } : {},
        );
        expect(status).toBe(401);
      }
    },
  );

  test.each(operators)("the operator routes are rate limited for valid and wrong tokens: %s", async (route) => {
    const limits = ["USER_READ_LIMIT", "USER_WRITE_LIMIT"];
    expect((await ask(route, tokenFor(route), { env, pastLimit: limits })).status).toBe(429);
    expect((await ask(route, "wrong", { env, pastLimit: ["FAILED_KEY_LIMIT"] })).status).toBe(429);
  });

  test("the operator routes are absent from the OpenAPI documents", () => {
    const documented = [openApiDocument(), sessionDocument(), partnerDocument()].flatMap(({ paths }) =>
      Object.keys(paths),
    );
    expect(documented.filter((path) => path.includes("operator"))).toEqual([]);
  });
});

describe("the rate limit per user", () => {
  test.each(guarded.filter((route) => isForPeople(route) || isForEmbed(route)))(
    "the rate limit per user is in the response headers of %s",
    async (route) => {
      const { headers } = await call(route);
      const isImport = route.endsWith("/imports/rows");
      const limit = isForEmbed(route)
        ? "embed"
        : route.startsWith("GET ")
          ? "userRead"
          : isImport
            ? "importCheck"
            : "userWrite";
      expect(headers.get("RateLimit-Policy")).toBe(`"${limit}";q=60;w=60`);
      expect(headers.get("X-RateLimit-Limit")).toBe("60");
    },
  );
});

const operations = [sessionDocument(), partnerDocument()]
  .flatMap(({ paths }) => Object.entries(paths))
  .flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      route: `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ":$1")}`,
      role: operation["x-minimum-role"],
    })),
  );

test.each(operations.filter(({ route }) => !forAnyone.includes(route)))(
  "$route documents its minimum role",
  ({ route, role }) => {
    if (forAnyUser.includes(route)) expect(role).toBeUndefined();
    else expect(route.includes(" /api/partner/") ? ["view", "manage"] : ["viewer", "admin", "owner"]).toContain(role);
  },
);
