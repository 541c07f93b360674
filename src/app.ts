import { OpenAPIHono } from "@hono/zod-openapi";
import { methodNotAllowed } from "hono/method-not-allowed";
import type { AppEnv } from "./http/app-env.ts";
import { apiHeaders } from "./http/headers.ts";
import { logRequest } from "./http/log.ts";
import { refuse, refuseError } from "./http/refuse.ts";
import { checkBindings, identifyRequest } from "./http/request.ts";
import { described } from "./routes/public/described.ts";
import { descriptions } from "./routes/public/index.ts";

const app = new OpenAPIHono<AppEnv>();

app.use(identifyRequest, logRequest, checkBindings);
app.use(methodNotAllowed({ app, onMethodNotAllowed: (c, allow) => refuse(c, { code: "method_not_allowed", allow }) }));
app.use("/api/*", apiHeaders);

app.notFound((c) => refuse(c, { code: "route_not_found" }));
app.onError((error, c) => refuseError(c, error));

export const routes = app.route("/", described).route("/", descriptions);
export { app };
