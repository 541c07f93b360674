import { OpenAPIHono } from "@hono/zod-openapi";
import { methodNotAllowed } from "hono/method-not-allowed";
import type { AppEnv } from "./context.ts";
import { secureHeaders } from "./headers.ts";
import { requireHttps } from "./https.ts";
import { logRequest } from "./log.ts";
import { refuse, refuseError } from "./refusal/refuse.ts";
import { checkBindings, identifyRequest } from "./request.ts";

export function createApp(): OpenAPIHono<AppEnv> {
  const app = new OpenAPIHono<AppEnv>();
  app.use(secureHeaders, identifyRequest, logRequest, checkBindings, requireHttps);
  app.use(
    methodNotAllowed({ app, onMethodNotAllowed: (c, allow) => refuse(c, { code: "method_not_allowed", allow }) }),
  );
  app.notFound((c) => refuse(c, { code: "route_not_found" }));
  app.onError((error, c) => refuseError(c, error));
  return app;
}
