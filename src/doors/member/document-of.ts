import type { OpenAPIHono } from "@hono/zod-openapi";
import type { AppEnv } from "#http/context.ts";
import { sessionCookieName } from "#http/session-cookie.ts";
import { type ApiDocument, mapOperations, type Operation, withExamples } from "#routes/openapi/with-examples.ts";
import { withHeaders } from "#routes/openapi/with-headers.ts";
import { type SharedDocument, withSharedRefusals } from "./shared-refusals.ts";

type About = Omit<Parameters<OpenAPIHono<AppEnv>["getOpenAPI31Document"]>[0], "openapi" | "servers">;

/** Of endpoints that a session's cookie opens. */
export function documentOf(
  api: Pick<OpenAPIHono<AppEnv>, "getOpenAPI31Document">,
  about: About,
  server: string,
  isCookieSecure: boolean,
): SharedDocument {
  const document = api.getOpenAPI31Document({ openapi: "3.1.0", ...about, servers: [{ url: server }] });
  const session = {
    type: "apiKey",
    in: "cookie",
    name: sessionCookieName(isCookieSecure),
    description: "Set when you sign in.",
  };
  const components = { ...document.components, securitySchemes: { session } };
  const described: ApiDocument = JSON.parse(JSON.stringify({ ...document, components }));
  return withSharedRefusals(mapOperations(withHeaders(withExamples(described, {})), withRole));
}

/** Roles aren't scopes of a cookie. */
function withRole({ security, ...operation }: Operation): Operation {
  const role = security.flatMap((scheme) => Object.values(scheme).flat()).map(String)[0];
  const schemes = security.map((scheme) => Object.fromEntries(Object.keys(scheme).map((name) => [name, []])));
  return { ...operation, security: schemes, ...(role !== undefined && { "x-minimum-role": role }) };
}
