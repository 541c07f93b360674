import type { Env } from "./env.ts";
import { createApp } from "./http/app.ts";
import { described } from "./routes/public/api.ts";
import { dashboard } from "./routes/public/dashboard.ts";
import { descriptions } from "./routes/public/descriptions.ts";

export const publicApp = createApp();
export const routes = publicApp.route("/", described).route("/", descriptions).route("/", dashboard);

const isForPeople = (request: Request): boolean => /^[^/]+\/\/[^/]+\/api\/(?!v1([/?]|$))/.test(request.url);
const isForOperator = (request: Request): boolean => /^[^/]+\/\/[^/]+\/api\/operator\//.test(request.url);

const loadPrivateApp = async (request: Request) =>
  isForOperator(request)
    ? (await import("./routes/operator/index.ts")).operatorApp
    : (await import("./routes/session/index.ts")).sessionApp;

/**
 * Apps of one make, each whole. Those for people who sign in and for whoever runs the service are compiled when the
 * first of them comes.
 */
export const app = {
  async fetch(request: Request, env: Env, context: ExecutionContext): Promise<Response> {
    const { fetch } = isForPeople(request) ? await loadPrivateApp(request) : publicApp;
    return fetch(request, env, context);
  },
};
