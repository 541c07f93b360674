import type { OpenAPIRoute, RouteConfig } from "@hono/zod-openapi";
import type { AppEnv } from "./context.ts";
import { responsesOf } from "./refusal/responses.ts";
import type { RefusalStyle, TrackingCode } from "./refusal/table.ts";
import { refuseInvalid } from "./refusal/validation.ts";
import * as z from "./schema/zod.ts";

// Every tracking call compiles this file, so it imports only what tracking endpoints need.
export { createRoute } from "@hono/zod-openapi";
export { withJsonBody } from "./body.ts";
export { refuse, refuseAfterKeyCheck } from "./refusal/refuse.ts";
export { bodyRefusals, commonRefusals, invalidField, keyRefusals } from "./refusal/responses.ts";
export { refuseInvalid } from "./refusal/validation.ts";

/** Responses by status. */
export const refusals = (codes: readonly TrackingCode[], style?: RefusalStyle) => responsesOf(codes, style);

type Endpoint<Route extends RouteConfig> = OpenAPIRoute<Route, AppEnv, true>;

/** Refuses an invalid body or query, unless the endpoint has its own `hook`. */
export const endpoint = <Route extends RouteConfig>(
  definition: Omit<Endpoint<Route>, "addRoute">,
): Endpoint<Route> => ({
  ...(hookOf(definition.route) as Pick<Endpoint<Route>, "hook">),
  ...definition,
  addRoute: true,
});

function hookOf({ request }: RouteConfig) {
  const media = request?.body?.content["application/json"];
  const schema = media !== undefined && "schema" in media ? media.schema : request?.query;
  return schema instanceof z.ZodObject ? { hook: refuseInvalid(schema) } : {};
}

export const body = <Schema extends z.ZodType>(schema: Schema) => ({
  required: true,
  content: { "application/json": { schema } },
});

/** Also accepts `text/plain`, which browsers can send to another origin without a preflight. */
export const plainBody = <Schema extends z.ZodType>(schema: Schema) => ({
  required: true,
  content: { "application/json": { schema }, "text/plain": { schema } },
});

export const returns = <Schema extends z.ZodType>(description: string, schema: Schema) => ({
  200: { description, content: { "application/json": { schema } } },
});

export const accepted = <Schema extends z.ZodType>(description: string, schema: Schema) => ({
  202: { description, content: { "application/json": { schema } } },
});

export const created = <Schema extends z.ZodType>(description: string, schema: Schema) => ({
  201: { description, content: { "application/json": { schema } } },
});
