import { createMiddleware } from "hono/factory";
import type { AppEnv } from "./context.ts";
import { logError } from "./log.ts";

/** Notes calls with a key, and refused ones, once they are answered. A browser's click compiles nothing of it. */
export const noteCalls = createMiddleware<AppEnv>(async (c, next) => {
  await next();
  if (c.get("key") === undefined && c.get("log").refusal === undefined) return;
  const { status } = c.res;
  const noted = import("./note-call.ts").then(({ noteCall }) => noteCall(c, status));
  c.executionCtx.waitUntil(noted.catch((error) => logError(c, error)));
});
