import type { Env } from "./env.ts";
import { createApp } from "./http/app.ts";
import { publicApi } from "./routes/public/api.ts";
import { dashboard } from "./routes/public/dashboard.ts";
import { documentation } from "./routes/public/documentation.ts";

export const publicApp = createApp();
export const routes = publicApp.route("/", publicApi).route("/", documentation).route("/", dashboard);

const isSessionPath = (request: Request): boolean => /^[^/]+\/\/[^/]+\/api\/(?!v1([/?]|$))/.test(request.url);
const isOperatorPath = (request: Request): boolean => /^[^/]+\/\/[^/]+\/api\/operator\//.test(request.url);

const loadPrivateApp = async (request: Request) =>
  isOperatorPath(request)
    ? (await import("./routes/operator/index.ts")).operatorApp
    : (await import("./routes/session/index.ts")).sessionApp;

/** Loads the session and operator apps on their first request, so that no tracking call compiles them. */
export const app = {
  async fetch(request: Request, env: Env, context: ExecutionContext): Promise<Response> {
    const { fetch } = isSessionPath(request) ? await loadPrivateApp(request) : publicApp;
    return fetch(request, env, context);
  },
};
