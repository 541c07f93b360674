import { createMiddleware } from "hono/factory";
import type { Env } from "#env.ts";
import type { AppEnv } from "./context.ts";
import { transportOf } from "./transport.ts";

const isRequestId = (text: string | undefined): text is string =>
  text !== undefined && /^[A-Za-z0-9._-]{8,64}$/.test(text);

const idLength = 48;
const idsAtOnce = 128;
let unusedIds = "";

/**
 * Random hex digits. They are generated for many calls at once, because most of the cost of the system's generator is
 * the overhead of calling it.
 */
function randomId(): string {
  if (unusedIds === "") unusedIds = randomHex((idLength / 2) * idsAtOnce);
  const id = unusedIds.slice(0, idLength);
  unusedIds = unusedIds.slice(idLength);
  return id;
}

const randomHex = (bytes: number): string => crypto.getRandomValues(Buffer.alloc(bytes)).toString("hex");

export const isReadMethod = (method: string): boolean => method === "GET" || method === "HEAD";

export const identifyRequest = createMiddleware<AppEnv>((c, next) => {
  const own = c.req.header("X-Request-Id");
  const random = randomId();
  const requestId = isRequestId(own) ? own : random.slice(16);
  c.set("requestId", requestId);
  c.set("call", { operationId: random.slice(0, 16), at: Date.now() });
  c.set("log", { roundTrips: 0 });
  c.set("transport", transportOf(c));
  c.header("X-Request-Id", requestId);
  return next();
});

const checked = new WeakSet<Env>();

export const checkBindings = createMiddleware<AppEnv>(async ({ env }, next) => {
  if (!checked.has(env)) (await import("#check-env.ts")).checkEnv(env);
  checked.add(env);
  return next();
});
