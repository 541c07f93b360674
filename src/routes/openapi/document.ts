import { OpenAPIHono } from "@hono/zod-openapi";
import type { KeyScope } from "#domain/program-key.ts";
import { programs } from "#doors/key/index.ts";
import type { AppEnv } from "#http/context.ts";
import { health } from "../api.ts";
import { track } from "../track/index.ts";
import { trackOffer } from "../track/offer.ts";
import { operationExamples } from "./examples.ts";
import { partnerExamples } from "./partner-examples.ts";
import {
  type ApiDocument,
  isKeyRequired,
  mapOperations,
  type Operation,
  scopesOf,
  withExamples,
} from "./with-examples.ts";
import { withHeaders } from "./with-headers.ts";

const publicApi = new OpenAPIHono<AppEnv>()
  .route("/api/v1/track", track)
  .route("/api/v1/track", trackOffer)
  .route("/api/v1/programs", programs)
  .route("/", health);

const info = {
  title: "Tributary",
  version: "1",
  summary: "Affiliate tracking: clicks, sign-ups, sales, refunds and the commissions they earn.",
  description: `A partner's link leads to your site. You report the click, the sign-up, each payment and each refund, and the
service decides which partner earns a commission. Amounts are integers in the currency's smallest unit.

**Authentication.** Send an API key of your program as \`Authorization: Bearer <key>\`, and only from a backend. Each operation names
the scope that the key needs. A key without that scope is refused with 403, and \`details.needed\` names the missing scope. Clicks and a
browser's leads need no key.

**Retries.** After a lost connection, a 429 or a 5xx, send the identical call again. If the response has \`Retry-After\`, wait that many
seconds first. A retry is not counted twice, because \`event_id\`, \`customer_key\`, \`transaction_id\` or \`refund_id\` identifies the
event. A sale that was recorded before returns 409 with the sale as it is now in its details: treat it as recorded.

**Errors.** Any other 4xx records nothing; correct the call. Show \`error.message\` to people; in code, check the status
and the details. Unknown fields and query parameters are ignored, and \`null\` means the same as an absent field.

**Pages.** Lists come in pages of a fixed size: send \`next_cursor\` as \`cursor\` until it is null. The feed of events has
no cursor: send \`next_after\`, the number of an event, as \`after\`, and a \`limit\` of your choice. An event keeps its number.

**Headers.** Every response has \`X-Request-Id\`. If you send one (8 to 64 letters, digits and \`._-\`), the response repeats it. Operations
with a rate limit return it in \`RateLimit-Policy\` and \`X-RateLimit-Limit\`. For 429 and 503, \`Retry-After\` is the number of seconds to wait.
\`Deprecation\`, \`Sunset\` and \`Link\` appear once the key has been replaced.`,
  license: { name: "MIT", identifier: "MIT" },
};

const tags = [
  {
    name: "Tracking",
    description: "Record clicks, leads, sales and refunds. Events with the same id are recorded once.",
  },
  {
    name: "Program",
    description:
      "The program that the API key belongs to: its integration, partners, coupons, customers, sales, commissions, payouts, reports, explanations and events.",
  },
  { name: "Service", description: "Health checks for operators." },
];

const scopes: Readonly<Record<KeyScope, string>> = {
  track: "reports events and reconciliations, and runs the verification",
  read: "reads the program, its reports, explanations and events",
  manage: "changes partners, lists and changes coupons, imports, exports, and creates tokens of the embedded page",
  settle: "reports settled and failed payout lines",
};

const scopeTexts = Object.entries(scopes).map(([scope, text]) => `\`${scope}\` ${text}`);

const programKey = {
  type: "http",
  scheme: "bearer",
  description: `An API key of the program. Send it only from a backend. It must have one of the scopes listed with the operation: ${scopeTexts.join("; ")}.`,
} as const;

/**
 * Adds the scopes to the description, because generated clients show descriptions, but not the scopes of a bearer
 * token.
 */
function withScope(operation: Operation): Operation {
  const needed = scopesOf(operation).map((scope) => `\`${scope}\``);
  if (needed.length === 0) return operation;
  const key = isKeyRequired(operation) ? "The key" : "An optional key";
  return { ...operation, description: `${operation.description} ${key} needs the scope ${needed.join(" or ")}.` };
}

export function openApiDocument(server = "/"): ApiDocument {
  const document = publicApi.getOpenAPI31Document({ openapi: "3.1.0", info, tags, servers: [{ url: server }] });
  const components = { ...document.components, securitySchemes: { programKey } };
  // Converted through JSON, so that it equals the document that clients receive.
  const described: ApiDocument = JSON.parse(JSON.stringify({ ...document, components }));
  return withHeaders(mapOperations(withExamples(described, { ...operationExamples, ...partnerExamples }), withScope));
}
