import { createMiddleware } from "hono/factory";
import { matchedRoutes } from "hono/route";
import { monitorOf } from "../env.ts";
import type { AppEnv, Ctx } from "./context.ts";

/** One line for each request. It names routes by their pattern, and of what a caller sent it has the request id alone. */
export const logRequest = createMiddleware<AppEnv>(async (c, next) => {
  await next();
  const notes = c.get("notes");
  const call = c.get("call");
  const requestId = c.get("requestId");
  const line = {
    level: c.res.status >= 500 ? "error" : "info",
    request_id: requestId,
    // The Ledger knows calls, not requests: what went wrong with one there is logged under this.
    operation_id: call.operationId,
    method: c.req.method,
    route: matchedRoutes(c).findLast(({ method }) => method !== "ALL")?.path,
    status: c.res.status,
    outcome: notes.outcome,
    program_id: notes.programId,
    duration_ms: Date.now() - call.at,
    database_round_trips: notes.roundTrips,
  };
  console.log(JSON.stringify(line));
  monitorOf(c.env)?.onCall(line);
});

/** What a caller is not told of an unexpected error. */
export function logError(c: Ctx, error: unknown): void {
  console.error(JSON.stringify({ level: "error", request_id: c.get("requestId"), error: toldOf(error) }));
}

function toldOf(error: unknown): object {
  if (!(error instanceof Error)) return { message: String(error) };
  const { name, message, stack, cause } = error;
  return { name, message, stack, ...(cause === undefined ? {} : { cause: toldOf(cause) }) };
}
