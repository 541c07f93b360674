import { createMiddleware } from "hono/factory";
import { checkEnv } from "../env.ts";
import type { AppEnv } from "./context.ts";
import { transportOf } from "./transport.ts";

const isRequestId = (text: string | undefined): text is string =>
  text !== undefined && /^[A-Za-z0-9._-]{8,64}$/.test(text);

const randomHex = (bytes: number): string => crypto.getRandomValues(Buffer.alloc(bytes)).toString("hex");

/** Whether a method changes nothing. */
export const isRead = (method: string): boolean => method === "GET" || method === "HEAD";

/** Mints all that is random or of the clock in a request, and says how it came in. */
export const identifyRequest = createMiddleware<AppEnv>((c, next) => {
  const own = c.req.header("X-Request-Id");
  const random = randomHex(24);
  const requestId = isRequestId(own) ? own : random.slice(16);
  c.set("requestId", requestId);
  c.set("call", { operationId: random.slice(0, 16), at: Date.now() });
  c.set("notes", { outcome: "ok", roundTrips: 0 });
  c.set("transport", transportOf(c));
  c.header("X-Request-Id", requestId);
  return next();
});

export const checkBindings = createMiddleware<AppEnv>((c, next) => {
  checkEnv(c.env);
  return next();
});
