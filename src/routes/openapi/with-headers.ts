import { small } from "#http/schema/integers.ts";
import { type ApiDocument, mapOperations, type Operation } from "./with-examples.ts";

const text = (description: string, example: string) => ({ description, schema: { type: "string" }, example });
const seconds = (description: string) => ({ description, schema: { type: "integer", minimum: 0, ...small } });

const headers = {
  "X-Request-Id": text(
    "Identifies the call in the service's log. The same as the call's `X-Request-Id`, if it sent one.",
    "0f9d1c3a",
  ),
  "Retry-After": seconds("Seconds to wait before the identical call is sent again."),
  "RateLimit-Policy": text(
    "Name of the limit, number of calls (`q`) and window in seconds (`w`).",
    '"sale";q=600;w=60',
  ),
  "X-RateLimit-Limit": { description: "Maximum calls per window.", schema: { type: "integer", minimum: 1, ...small } },
  Deprecation: text(
    "Set if the key has been replaced: the time at which it stops working, in Unix seconds.",
    "@1772366400",
  ),
  Sunset: text("Set if the key has been replaced: when it stops working.", "Sun, 01 Mar 2026 12:00:00 GMT"),
  Link: text(
    "Set if the key has been replaced: a link to instructions.",
    '<https://api.example/docs>; rel="deprecation"',
  ),
} as const;
type Name = keyof typeof headers;

function namesFor({ security, responses }: Operation, status: string): readonly Name[] {
  const isGood = status.startsWith("2");
  const isLimited = "429" in responses && (isGood || status === "429");
  const isKeyed = isGood && security.some((scheme) => "programKey" in scheme);
  return [
    "X-Request-Id",
    ...(["429", "503"].includes(status) ? (["Retry-After"] as const) : []),
    ...(isLimited ? (["RateLimit-Policy", "X-RateLimit-Limit"] as const) : []),
    ...(isKeyed ? (["Deprecation", "Sunset", "Link"] as const) : []),
  ];
}

const withOwnHeaders = (operation: Operation): Operation => ({
  ...operation,
  responses: Object.fromEntries(
    Object.entries(operation.responses).map(([status, response]) => {
      const named = namesFor(operation, status).map((name) => [name, { $ref: `#/components/headers/${name}` }]);
      return [status, { ...response, headers: { ...Object.fromEntries(named), ...response.headers } }];
    }),
  ),
});

/** Describes the headers of each response. */
export function withHeaders(document: ApiDocument): ApiDocument {
  const { paths } = mapOperations(document, withOwnHeaders);
  const used = new Set(JSON.stringify(paths).match(/(?<=#\/components\/headers\/)[\w-]+/g));
  const components = Object.fromEntries(Object.entries(headers).filter(([name]) => used.has(name)));
  return {
    ...document,
    paths,
    components: { ...document.components, headers: components },
  };
}
