import fc from "fast-check";
import type { Api } from "../../harness/client.ts";
import { hostileText, hostileWords, type Schema, spoiled, valuesOf } from "./schema-values.ts";

interface Parameter {
  readonly in: string;
  readonly name: string;
  readonly schema: Schema;
}
interface Operation {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

export interface Call {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string | undefined;
}

/** Valid sample values, by the name of a field, parameter or header. */
export type Known = Readonly<Record<string, readonly unknown[]>>;

/**
 * Generates calls of all operations in a document except the excluded ones. Each call is valid, or has some part
 * corrupted.
 */
export async function callsOf(
  { url }: Api,
  documentPath: string,
  known: Known,
  leftOut: readonly string[] = [],
): Promise<fc.Arbitrary<Call>> {
  // Closes the connection, because generating the calls takes seconds, and the service may close an idle connection
  // exactly when a call is sent.
  const response = await fetch(url + documentPath, { headers: { connection: "close" } });
  const document = (await response.json()) as Document;
  const resolve = (reference: string): Schema => document.components.schemas[reference.split("/").at(-1) ?? ""] ?? {};
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  const wanted = operations.filter(({ path }) => !leftOut.includes(path));
  return fc.oneof(
    ...wanted.map(({ path, method, operation: { parameters = [], requestBody } }) => {
      const [schema] = Object.values(requestBody?.content ?? {}).map((content) => content.schema);
      return fc
        .record({
          path: fc.constant(path),
          given: fc.record(
            Object.fromEntries(
              parameters.map((one) => [one.name, words(valuesOf(one.schema, resolve, known, one.name))]),
            ),
            { requiredKeys: parameters.filter((one) => one.in === "path").map(({ name }) => name) },
          ),
          headers: headersOf(known),
          body: schema === undefined ? fc.constant(undefined) : bodies(valuesOf(schema, resolve, known)),
        })
        .map(({ given, headers, body }) => toCall(method, path, parameters, given, headers, body));
    }),
  );
}

const words = (values: fc.Arbitrary<unknown>): fc.Arbitrary<string> =>
  fc.oneof({ weight: 5, arbitrary: values.map(String) }, { weight: 1, arbitrary: fc.constantFrom(...hostileWords) });

const bodies = (values: fc.Arbitrary<unknown>): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 6, arbitrary: values.map((value) => JSON.stringify(value)) },
    { weight: 4, arbitrary: spoiled(values).map((value) => JSON.stringify(value)) },
    { weight: 1, arbitrary: hostileText },
  );

const contentTypes = [
  "text/plain",
  "application/json; charset=UTF-8",
  "application/json;charset=utf-16",
  "text/html",
  "x",
];

function headersOf(known: Known): fc.Arbitrary<Record<string, string>> {
  const told = Object.entries(known).flatMap(([name, values]) =>
    name.startsWith("header ") ? [[name.slice(7), fc.constantFrom(...values)] as const] : [],
  );
  const odd = fc.record(
    {
      "content-type": fc.constantFrom(...contentTypes),
      authorization: fc.constantFrom(
        "Bearer",
        "Bearer x",
        "Basic YTpi",
        "bearer svc_1_x",
        `Bearer svc_zzzz_${"A".repeat(43)}`,
      ),
      "x-request-id": fc.constantFrom("short", "12345678", "x".repeat(65), "<script>"),
      "accept-language": fc.constantFrom("*", "x".repeat(5_000)),
      "user-agent": fc.constantFrom("", "Googlebot/2.1", "\u00ff".repeat(200), "x".repeat(4_000)),
      "sec-fetch-site": fc.constantFrom("cross-site", "none", "x"),
      "sec-purpose": fc.constantFrom("prefetch", "x"),
      origin: fc.constantFrom("null", "https://evil.example"),
      cookie: fc.constantFrom("", "a=b", "better-auth.session_token=x.y", "=;;=", "__proto__=1"),
    },
    { requiredKeys: [] },
  );
  const right = fc.record(Object.fromEntries(told)) as fc.Arbitrary<Record<string, string>>;
  return fc.oneof(
    { weight: 5, arbitrary: right },
    { weight: 1, arbitrary: fc.tuple(right, odd).map(([one, other]) => ({ ...one, ...other })) },
    { weight: 1, arbitrary: odd },
  );
}

function toCall(
  method: string,
  template: string,
  parameters: readonly Parameter[],
  given: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>>,
  body: string | undefined,
): Call {
  // An empty path parameter would result in a different path.
  const part = (name: string) => encodeURIComponent((given[name] || "0").toWellFormed()).replaceAll(".", "%2E%2E");
  const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => part(name));
  const query = parameters
    .filter((one) => one.in === "query" && given[one.name] !== undefined)
    .map(({ name }) => `${name}=${encodeURIComponent((given[name] ?? "").toWellFormed())}`);
  return {
    method: method.toUpperCase(),
    path: query.length === 0 ? path : `${path}?${query.join("&")}`,
    headers,
    body,
  };
}

/** Throws if the response isn't documented for the operation, or is a failure of the service. */
export async function send(api: Api, { method, path, headers, body }: Call): Promise<number> {
  const { status, text } = await api.request(method, path, { headers, body });
  if (status >= 500) throw new Error(`${method} ${path} → ${status}: ${text}`);
  return status;
}
