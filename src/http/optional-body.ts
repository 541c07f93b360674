import type { MiddlewareHandler } from "hono";
import { createMiddleware } from "hono/factory";
import { jsonBody } from "./body.ts";
import type { AppEnv } from "./context.ts";

const readJson = jsonBody(["application/json"]);

/** Treats a missing body as an empty object. */
export function withOptionalBody<Steps extends MiddlewareHandler[], Rest>(
  guard: Rest & { readonly middleware: [...Steps] },
) {
  const { middleware, ...rest } = guard;
  const steps: [...Steps, MiddlewareHandler<AppEnv>] = [...middleware, readIfSent];
  return { ...rest, middleware: steps };
}

const readIfSent = createMiddleware<AppEnv>(async (c, next) => {
  if (!(await isEmpty(c.req.raw))) return readJson(c, next);
  Object.assign(c.req.bodyCache, { text: Promise.resolve("{}") });
  return next();
});

/**
 * Over HTTP/2, a request with a body needn't state its length, and a server may provide an empty stream for a request
 * without a body. So only reading the stream shows whether the request has a body.
 */
async function isEmpty(request: Request): Promise<boolean> {
  const length = request.headers.get("Content-Length");
  if (request.body === null || length === "0") return true;
  if (length !== null || request.headers.has("Transfer-Encoding")) return false;
  const reader = request.clone().body?.getReader();
  const first = await reader?.read();
  void reader?.cancel();
  return first?.done !== false;
}
