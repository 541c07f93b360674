import type { OpenAPIHono } from "@hono/zod-openapi";
import type { AppEnv } from "#http/context.ts";
import { sessionCookieName } from "#http/session-cookie.ts";
import { type ApiDocument, mapOperations, type Operation, withExamples } from "./with-examples.ts";
import { withHeaders } from "./with-headers.ts";

/** A text for all endpoints that a session cookie or the token of an embedded page authorizes. */
export const forPeople = `**Retries.** After a lost connection, a 429 or a 5xx, you can send a read again. Send a write again only if its description says that
a repeat changes nothing.

**Errors.** A refused call changes nothing. Show \`error.message\` to people; in code, check the status and \`details.code\`.

**Headers.** Every response has \`X-Request-Id\`. If you send one (8 to 64 letters, digits and \`._-\`), the response repeats it. For 429 and
503, \`Retry-After\` is the number of seconds to wait. Operations with a rate limit return it in \`RateLimit-Policy\` and
\`X-RateLimit-Limit\`.`;

type Refusal = Operation["responses"][string];
interface Reference {
  readonly $ref: string;
}
type Responses = Readonly<Record<string, Refusal | Reference>>;

export interface SharedDocument extends Omit<ApiDocument, "paths" | "components"> {
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, Omit<Operation, "responses"> & { readonly responses: Responses }>>>
  >;
  readonly components: ApiDocument["components"] & { readonly responses: Readonly<Record<string, Refusal>> };
}

/** Replaces each refusal that several operations share with a reference to one component. */
function withSharedRefusals(document: ApiDocument): SharedDocument {
  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
  const refusals = operations.flatMap(({ responses }) => Object.entries(responses).filter(isRefusal));
  const uses = Map.groupBy(refusals, ([, refusal]) => JSON.stringify(refusal));
  const shared = [...uses.values()].flatMap(([first, ...others]) =>
    first === undefined || others.length === 0 ? [] : [[nameOf(first[1]), first[1]] as const],
  );
  const references = new Map(
    shared.map(([name, refusal]) => [JSON.stringify(refusal), { $ref: `#/components/responses/${name}` }]),
  );
  const withReferences = (responses: Operation["responses"]): Responses =>
    Object.fromEntries(
      Object.entries(responses).map(([status, answer]) => [status, references.get(JSON.stringify(answer)) ?? answer]),
    );
  const paths = Object.entries(document.paths).map(([path, methods]) => {
    const referring = Object.entries(methods).map(([method, operation]) => [
      method,
      { ...operation, responses: withReferences(operation.responses) },
    ]);
    return [path, Object.fromEntries(referring)];
  });
  const components = { ...document.components, responses: Object.fromEntries(shared) };
  return { ...document, paths: Object.fromEntries(paths), components };
}

const isRefusal = ([status]: readonly [string, unknown]): boolean => !status.startsWith("2");

/** Turns "Not a member, role too low" into `NotAMemberOrRoleTooLow`. */
const nameOf = ({ description }: Refusal): string =>
  description
    .split(", ")
    .map((reason) => reason.replaceAll(/(?:^|\W+)(\w)/g, (_, letter: string) => letter.toUpperCase()))
    .join("Or");

type About = Omit<Parameters<OpenAPIHono<AppEnv>["getOpenAPI31Document"]>[0], "openapi" | "servers">;

/** Builds the document of the endpoints that a session cookie authorizes. */
export function documentOf(
  api: Pick<OpenAPIHono<AppEnv>, "getOpenAPI31Document">,
  about: About,
  server: string,
  isCookieSecure: boolean,
): SharedDocument {
  const session = {
    type: "apiKey",
    in: "cookie",
    name: sessionCookieName(isCookieSecure),
    description: "Session cookie, set when you sign in.",
  };
  return documentBy(api, about, server, { session });
}

/** Builds the document of endpoints that these security schemes authorize. */
export function documentBy(
  api: Pick<OpenAPIHono<AppEnv>, "getOpenAPI31Document">,
  about: About,
  server: string,
  securitySchemes: Readonly<Record<string, object>>,
): SharedDocument {
  const document = api.getOpenAPI31Document({ openapi: "3.1.0", ...about, servers: [{ url: server }] });
  const components = { ...document.components, securitySchemes };
  const described: ApiDocument = JSON.parse(JSON.stringify({ ...document, components }));
  return withSharedRefusals(mapOperations(withHeaders(withExamples(described, {})), withRole));
}

/** Moves the role to `x-minimum-role`, because OpenAPI allows no scopes for a cookie. */
function withRole({ security, ...operation }: Operation): Operation {
  const role = security.flatMap((scheme) => Object.values(scheme).flat()).map(String)[0];
  const schemes = security.map((scheme) => Object.fromEntries(Object.keys(scheme).map((name) => [name, []])));
  return { ...operation, security: schemes, ...(role !== undefined && { "x-minimum-role": role }) };
}
