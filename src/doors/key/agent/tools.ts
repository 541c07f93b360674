import type { RouteConfig } from "@hono/zod-openapi";
import type { Tool as Definition } from "@modelcontextprotocol/server";
import { proposables } from "#api/proposals/index.ts";
import { proposalScopes } from "#domain/proposal.ts";
import { ok, type Result, refused } from "#domain/result.ts";
import { snakeCase } from "#domain/snake-case.ts";
import { invalidField } from "#http/endpoint.ts";
import { readId } from "#http/schema/id.ts";
import * as z from "#http/schema/zod.ts";
import type { KeyChecked } from "#operations/check-key.ts";
import { listBalances } from "../balances.ts";
import { listCommissions, listPayoutCommissions } from "../commissions.ts";
import { listCoupons } from "../coupons.ts";
import { listCustomers } from "../customers.ts";
import { listEvents } from "../events.ts";
import { explain } from "../explain.ts";
import { programApp } from "../index.ts";
import { getOffer } from "../offers.ts";
import { getPartnerOverview, getPartnerStatement, listPartnerCommissions } from "../partner-reports.ts";
import { listPartners } from "../partners.ts";
import { listPayouts } from "../payouts.ts";
import { getPerformance } from "../performance.ts";
import { readiness } from "../readiness.ts";
import { listRequests } from "../requests.ts";
import { withFewGroups } from "./few-groups.ts";
import { type Cut, mostRows } from "./few-rows.ts";
import { Proposed, ProposeReply, proposeApp, proposePath } from "./propose.ts";
import { type JsonSchema, untrustedIn } from "./untrusted.ts";

/** Each of these routes is a tool, with the route's parameters, refusals and limits. */
const routes: readonly RouteConfig[] = [
  readiness,
  explain,
  listPartners,
  getPartnerOverview,
  listPartnerCommissions,
  getPartnerStatement,
  getPerformance,
  listCoupons,
  listCustomers,
  getOffer,
  listCommissions,
  listBalances,
  listPayouts,
  listPayoutCommissions,
  listEvents,
  listRequests,
].map(({ route }) => route);

type Arguments = Readonly<Record<string, unknown>>;

export interface Tool {
  readonly definition: Definition;
  /** True if the key can use the tool. */
  admits(key: Pick<KeyChecked, "scopes" | "book">): boolean;
  /** Returns the call of the route. Refuses an id in the path that is missing or invalid. */
  call(given: Arguments): Result<RouteCall>;
  /** Shortens a response. Default: only lists of more than 50 rows are cut. */
  readonly shorten?: (response: Answer) => Answer;
  /** Says how to get the rows that were cut from this list. */
  restOf(cut: Cut): string;
  /** Returns RFC 6901 pointers to the texts in a response that the program's team may not have written. */
  untrusted(response: unknown): readonly string[];
}

export type Answer = Readonly<Record<string, unknown>>;

export interface RouteCall {
  readonly app: Pick<typeof programApp, "fetch">;
  /** The path including the query. */
  readonly path: string;
  /** For a POST call. */
  readonly body?: Arguments;
}

interface Properties {
  readonly type: "object";
  readonly properties: Readonly<Record<string, JsonSchema>>;
  readonly required?: string[];
}

const noProperties: Properties = { type: "object", properties: {} };

/** Parameters that tools don't offer, because an agent needs only their defaults. */
const leftOut: ReadonlySet<string> = new Set(["format", "force_recheck"]);

function toolOf(route: RouteConfig): Tool {
  const { path, operationId = "", summary = "", description = "", request, security = [] } = route;
  const inPath = propertiesOf(request?.params);
  const inQuery = propertiesOf(request?.query);
  const properties = Object.entries({ ...inPath.properties, ...inQuery.properties }).filter(
    ([name]) => !leftOut.has(name),
  );
  const required = [...(inPath.required ?? []), ...(inQuery.required ?? [])];
  const inputSchema = {
    type: "object" as const,
    properties: Object.fromEntries(properties.map(([name, schema]) => [name, asArgument(schema)])),
    ...(required.length > 0 && { required }),
  };
  const idNames = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
  let reply: JsonSchema | undefined;
  return {
    definition: {
      name: snakeCase(operationId),
      title: summary,
      description: description.split(". ", 2).join(". "),
      inputSchema,
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    admits: ({ scopes, book }) =>
      (book !== "test" || "test_mode" in inQuery.properties) &&
      scopes.some((scope) => security.some(({ programKey = [] }) => programKey.includes(scope))),
    ...(route === getPerformance.route && { shorten: withFewGroups }),
    call(given) {
      const invalid = invalidIn(given, idNames, inputSchema.properties);
      if (invalid !== undefined) return refused(invalid);
      const of = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(given[name]));
      const query = new URLSearchParams();
      for (const name of Object.keys(inQuery.properties)) {
        const text = leftOut.has(name) ? undefined : textOf(given[name]);
        if (text !== undefined) query.set(name, text);
      }
      const limit = textOf(given.limit);
      if ("limit" in inQuery.properties && (limit === undefined || Number(limit) > mostRows))
        query.set("limit", String(mostRows));
      return ok({ app: programApp, path: `/api/v1/programs${of}?${query}` });
    },
    restOf: ({ list }) => restOf.get(list.replace(/^.*\//, "")) ?? `GET /api/v1/programs${path} returns all.`,
    untrusted(response) {
      reply ??= schemaOf(replyOf(route), "output");
      return untrustedIn(response, reply);
    },
  };
}

/** For each list, by its name: the way to get the rows after the first ones. */
const restOf: ReadonlyMap<string, string> = new Map([
  ["days", "Ask for shorter ranges, with date_from and date_to, to get the others."],
  ["calculation", "The amount after the last step is the commission's."],
  ["entries", "get_partner_statement lists the others."],
  ["changes", "get_partner_statement lists the others."],
]);

const textOf = (value: unknown): string | undefined =>
  value === undefined || value === null ? undefined : String(value);

/** Refuses invalid ids, and values that a query can't contain. The route checks everything else. */
function invalidIn(given: Arguments, idNames: readonly string[], properties: Readonly<Record<string, Argument>>) {
  const isComposite = (name: string) => typeof given[name] === "object" && given[name] !== null;
  const id = idNames.find((name) => isComposite(name) || readId(textOf(given[name])) === undefined);
  if (id !== undefined) return invalidField(id, `${id} must be a positive integer`);
  const name = Object.keys(given).find(isComposite);
  if (name === undefined) return undefined;
  const { type, enum: values } = properties[name] ?? { type: "string" };
  return invalidField(name, `${name} must be one ${type}${values === undefined ? "" : `: ${values.join(", ")}`}`);
}

const schemaOf = (schema: z.ZodType, io: "input" | "output") =>
  z.toJSONSchema(schema, { io, unrepresentable: "any" }) as JsonSchema;

const propertiesOf = (schema: unknown): Properties =>
  schema instanceof z.ZodType ? { ...noProperties, ...(schemaOf(schema, "input") as Properties) } : noProperties;

/** Declared as a type, because an interface isn't assignable to the JSON of a tool's definition. */
type Argument = {
  type: string;
  enum?: string[];
  description?: string;
};

/**
 * The routes declare query parameters as strings, but agents send numbers and booleans as JSON numbers and booleans.
 */
function asArgument({ type, enum: values, description, pattern, anyOf }: JsonSchema): Argument {
  const isNumber = anyOf !== undefined || (pattern?.includes("\\d") ?? false);
  const isBoolean = values?.includes("true") ?? false;
  return {
    type: isBoolean ? "boolean" : isNumber ? "integer" : String(type ?? "string"),
    ...(values !== undefined && !isBoolean && { enum: values.map(String) }),
    ...(description !== undefined && { description: description.split(". ", 1)[0] }),
  };
}

function replyOf({ operationId, responses }: RouteConfig): z.ZodType {
  const reply = responses[200];
  const media = reply !== undefined && "content" in reply ? reply.content?.["application/json"] : undefined;
  const schema = media !== undefined && "schema" in media ? media.schema : undefined;
  if (!(schema instanceof z.ZodType)) throw new Error(`${operationId} declares no response`);
  return schema;
}

/** The first type of a schema that isn't null. */
function typeOf({ type, anyOf = [] }: JsonSchema): string {
  const [first = anyOf.map(typeOf).find((each) => each !== "null") ?? "object"] = [type ?? []]
    .flat()
    .filter((each) => each !== "null");
  return first === "number" ? "integer" : first;
}

/** Describes a parameter of a JSON body by its type. The route checks everything else. */
function asField(schema: JsonSchema) {
  const { enum: values, anyOf = [] } = schema;
  const type = typeOf(schema);
  const items = schema.items ?? anyOf.find((each) => each.items !== undefined)?.items;
  return {
    type,
    ...(values !== undefined && { enum: values.map(String) }),
    ...(type === "array" && items !== undefined && { items: { type: typeOf(items) } }),
  };
}

const proposing: Tool = {
  definition: {
    name: "propose",
    title: "Propose a change",
    description:
      "Returns what a change would do now, and a link. Changes nothing: a person opens the link and decides. " +
      "approve, reject: ids or filter. hold: ids. policy: type, scope, rateBps (2000 is 20%) or amountCents; " +
      "also returns what sales from..to would have earned. group: partnerIds, groupId (null: none). adjustment: partnerId, amountCents, " +
      "currency. application: applicationId, decision.",
    inputSchema: {
      type: "object",
      properties: Object.fromEntries(
        [Proposed, ...Object.values(proposables).map(({ params }) => params)]
          .flatMap((schema) => Object.entries(propertiesOf(schema).properties))
          .map(([name, schema]) => [name, asField(schema)]),
      ),
      required: ["action", "reason"],
    },
    annotations: { readOnlyHint: true, openWorldHint: false },
  },
  admits: ({ scopes, book }) => book !== "test" && proposalScopes.every((scope) => scopes.includes(scope)),
  call: (body) => ok({ app: proposeApp, path: proposePath, body }),
  restOf: () => "The link shows all.",
  // The link is the service's own text.
  untrusted: (response) =>
    untrustedIn(response, schemaOf(ProposeReply, "output")).filter((pointer) => pointer !== "/url"),
};

export const tools: ReadonlyMap<string, Tool> = new Map(
  [...routes.map(toolOf), proposing].map((tool) => [tool.definition.name, tool]),
);
