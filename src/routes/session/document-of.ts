import type { OpenAPIHono } from "@hono/zod-openapi";
import type { AppEnv } from "#http/context.ts";
import { sessionCookieName } from "#http/session-cookie.ts";
import { type ApiDocument, type Operation, withExamples } from "../public/openapi/with-examples.ts";
import { withHeaders } from "../public/openapi/with-headers.ts";
import { exampleOf } from "./example-of.ts";
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
  return withSharedRefusals(withRoles(withHeaders(withOwnExamples(withExamples(described, {})))));
}

type Content = NonNullable<Operation["requestBody"]>["content"];

/** Examples of what is sent and of what is answered, by the schemas: refusals have theirs. */
function withOwnExamples(document: ApiDocument): ApiDocument {
  const { schemas } = document.components;
  const exemplified = (content: Content) =>
    Object.fromEntries(
      Object.entries(content).map(([type, media]) => [
        type,
        type === "application/json" ? { ...media, example: exampleOf(media.schema, schemas) } : media,
      ]),
    );
  const withOwn = ({ requestBody, responses, ...operation }: Operation): Operation => ({
    ...operation,
    ...(requestBody && { requestBody: { ...requestBody, content: exemplified(requestBody.content) } }),
    responses: Object.fromEntries(
      Object.entries(responses).map(([status, { content, ...answer }]) => [
        status,
        { ...answer, ...(content && { content: status.startsWith("2") ? exemplified(content) : content }) },
      ]),
    ),
  });
  const paths = Object.entries(document.paths).map(([path, methods]) => {
    const operations = Object.entries(methods).map(([method, operation]) => [method, withOwn(operation)]);
    return [path, Object.fromEntries(operations)];
  });
  return { ...document, paths: Object.fromEntries(paths) };
}

/** Roles aren't scopes of a cookie. */
function withRoles(document: ApiDocument): ApiDocument {
  const paths = Object.entries(document.paths).map(([path, methods]) => {
    const operations = Object.entries(methods).map(([method, operation]) => [method, withRole(operation)]);
    return [path, Object.fromEntries(operations)];
  });
  return { ...document, paths: Object.fromEntries(paths) };
}

function withRole({ security, ...operation }: Operation): Operation {
  const role = security.flatMap((scheme) => Object.values(scheme).flat()).map(String)[0];
  const schemes = security.map((scheme) => Object.fromEntries(Object.keys(scheme).map((name) => [name, []])));
  return { ...operation, security: schemes, ...(role !== undefined && { "x-minimum-role": role }) };
}
