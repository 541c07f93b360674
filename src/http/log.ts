import { createMiddleware } from "hono/factory";
import { matchedRoutes } from "hono/route";
import { monitorOf } from "#env.ts";
import type { AppEnv, Ctx } from "./context.ts";

/**
 * Writes one log line per request. It contains the route's pattern, and no data from the caller except the request id.
 */
export const logRequest = createMiddleware<AppEnv>(async (c, next) => {
  await next();
  const log = c.get("log");
  const call = c.get("call");
  const requestId = c.get("requestId");
  const line = {
    level: c.res.status >= 500 ? "error" : "info",
    request_id: requestId,
    // Connects this line with the Ledger's errors, because the Ledger logs only operation ids.
    operation_id: call.operationId,
    method: c.req.method,
    route: matchedRoutes(c).findLast(({ method }) => method !== "ALL")?.path,
    status: c.res.status,
    outcome: log.refusal?.code ?? "ok",
    error: log.error === undefined ? undefined : textOf(log.error),
    program_id: log.programId,
    shard: log.shard || undefined,
    duration_ms: Date.now() - call.at,
    database_round_trips: log.roundTrips,
  };
  console.log(JSON.stringify(line));
  monitorOf(c.env)?.onCall(line);
});

export function logError(c: Ctx, error: unknown): void {
  console.error(JSON.stringify({ level: "error", request_id: c.get("requestId"), error: serializeError(error) }));
}

/** Returns the error's name and message. The stack is left out, because it would end at the call of the Ledger. */
function textOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { name, message, cause } = error;
  return `${name}: ${message}${cause === undefined ? "" : `, caused by ${textOf(cause)}`}`;
}

function serializeError(error: unknown): object {
  if (!(error instanceof Error)) return { message: String(error) };
  const { name, message, stack, cause } = error;
  return { name, message, stack, ...(cause === undefined ? {} : { cause: serializeError(cause) }) };
}
