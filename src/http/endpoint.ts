import type { OpenAPIRoute, RouteConfig } from "@hono/zod-openapi";
import type { AppEnv } from "./context.ts";

/** One route with all that answers it. The types of both are kept for the clients that are typed by them. */
export const endpoint = <Route extends RouteConfig>(
  definition: Omit<OpenAPIRoute<Route, AppEnv, true>, "addRoute">,
): OpenAPIRoute<Route, AppEnv, true> => ({ ...definition, addRoute: true });
