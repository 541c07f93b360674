import type { OpenAPIRoute, RouteConfig } from "@hono/zod-openapi";
import { resources } from "#domain/resource.ts";
import { notFound } from "#domain/result.ts";
import type { AppEnv, Ctx } from "./context.ts";
import type { Validated } from "./refusal/validation.ts";
import { endpoint as bodyEndpoint, refuseAfterKeyCheck } from "./tracking-endpoint.ts";

export { refusals } from "./refusal/further-table.ts";
export {
  accepted,
  body,
  bodyRefusals,
  commonRefusals,
  created,
  createRoute,
  invalidField,
  keyRefusals,
  plainBody,
  refuse,
  refuseInvalid,
  returns,
  withJsonBody,
} from "./tracking-endpoint.ts";

type Hook = (result: Validated & { readonly target: string }, c: Ctx) => unknown;

/** Declares an endpoint. Also responds with 404 if `pathId` finds an invalid id in the path. */
export function endpoint<Route extends RouteConfig>(
  definition: Omit<OpenAPIRoute<Route, AppEnv, true>, "addRoute">,
): OpenAPIRoute<Route, AppEnv, true> {
  const made = bodyEndpoint<Route>(definition);
  if (definition.route.request?.params === undefined) return made;
  const others = made.hook as Hook | undefined;
  const hook: Hook = (result, c) => (result.target === "param" ? refuseMissing(result, c) : others?.(result, c));
  return { ...made, hook } as typeof made;
}

function refuseMissing({ error }: Validated, c: Ctx) {
  const what = resources.find((each) => each === error?.issues[0]?.message);
  return what && refuseAfterKeyCheck(c, notFound(what));
}
