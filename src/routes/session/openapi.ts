import { sessionCookieName } from "#http/session-cookie.ts";
import { type ApiDocument, type Operation, withExamples } from "../public/openapi/with-examples.ts";
import { withHeaders } from "../public/openapi/with-headers.ts";
import { sessionApi } from "./api.ts";
import { exampleOf } from "./example-of.ts";
import { type SharedDocument, withSharedRefusals } from "./shared-refusals.ts";

const info = {
  title: "Tributary dashboard",
  version: "1",
  summary: "The endpoints behind the dashboard: sign-in, reports and program management.",
  description: `The dashboard calls these endpoints for a signed-in person. They take no API key: sign in, and send the session's
cookie. A write also needs \`Content-Type: application/json\` and, from outside a browser, the service's own address as \`Origin\`.

\`x-minimum-role\` is the role that an operation needs in the workspace: viewer, admin or owner. After a lost connection, a 429 or
a 5xx, a read can be sent again; a write only if its description says that a repeat changes nothing.`,
  license: { name: "MIT", identifier: "MIT" },
};

const tags = [
  { name: "Sign-in", description: "Accounts and sessions." },
  { name: "Dashboard", description: "Integration status, events and performance of a program." },
  { name: "Management", description: "Workspaces, programs, partners, policies and commissions." },
  { name: "Partners' access", description: "Who sees a partner's side, and invitations to it." },
  { name: "Payouts", description: "Balances, adjustments, payouts and statements of partners." },
];

export function sessionDocument(server = "/", isCookieSecure = true): SharedDocument {
  const document = sessionApi.getOpenAPI31Document({ openapi: "3.1.0", info, tags, servers: [{ url: server }] });
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
