import type { ProgramId } from "#domain/ids.ts";
import { requestOutcomes, trackingRoutes } from "#domain/request-log.ts";
import { ok, type Result, refused, unavailable } from "#domain/result.ts";
import { requestLogOf } from "#env.ts";
import type { Ctx } from "#http/context.ts";
import { logError } from "#http/log.ts";
import { cursorOf } from "#http/schema/cursor.ts";
import * as fields from "#http/schema/form-fields.ts";
import { int32, int64 } from "#http/schema/integers.ts";
import { encoded, from, instant, record } from "#http/schema/record.ts";
import { parseTimestamp } from "#http/schema/timestamp.ts";
import * as z from "#http/schema/zod.ts";
import type { LoggedCall, RequestFilter, RequestLogRpc } from "#requests/rpc.ts";
import { keyNamesOf } from "#store/views/programs.ts";
import { readFromDatabase } from "./read-database.ts";

export const requestPageSize = 50;

export const requestRecord = record("LoggedRequest", {
  requestId: z.string().describe("`X-Request-Id` of the response."),
  at: instant("Time at which the call arrived."),
  route: z.enum(trackingRoutes),
  keyName: z.string().optional().describe("Name of the API key. Absent if the call had no key of the program."),
  status: int32().describe("HTTP status of the response."),
  code: z
    .string()
    .nullable()
    .describe("Reason why the call was refused, its event isn't attributed, or the refund was skipped."),
  outcome: z
    .enum(requestOutcomes)
    .describe("`conflict`: recorded before with other values. `unavailable`: send it again."),
  transactionId: encoded(
    z
      .string()
      .optional()
      .describe(
        "The `transaction_id` as sent. A digest if it contains an email address, or the pseudonym of an erased customer.",
      ),
    (id: string | null) => id ?? undefined,
  ),
  testMode: from("isTest", z.boolean()),
});

export const requestCursors = cursorOf("requests", { at: z.int(), number: z.int().positive() });

export const requestFields = {
  id: (name: string) => fields.callerId(name).optional(),
  outcome: () => fields.oneOf("outcome", requestOutcomes).optional(),
  route: () => fields.oneOf("route", trackingRoutes).optional(),
  from: () => fields.instant("from").optional().describe("Lists only calls from this time on."),
  to: () => fields.instant("to").optional().describe("Lists only calls before this time."),
};

interface Times {
  readonly from?: unknown;
  readonly to?: unknown;
}
const instantIn = (text: unknown): number | undefined => (typeof text === "string" ? parseTimestamp(text) : undefined);

export const timesInOrder = () =>
  fields.rule(["from"], "from must not be after to", ({ from, to }: Times) => {
    const [first, last] = [instantIn(from), instantIn(to)];
    return first === undefined || last === undefined || first <= last;
  });

interface Asked extends Omit<RequestFilter, "from" | "to"> {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/**
 * Returns the logged calls, newest first, and the number of calls of the last seven days that the log had no room for.
 */
export async function readRequests(
  c: Ctx,
  programId: ProgramId,
  { from, to, ...asked }: Asked,
  after: Pick<LoggedCall, "at" | "number"> | undefined,
): Promise<Result<ReturnType<typeof pageOf>>> {
  const filter = { ...asked, from: instantIn(from), to: instantIn(to) };
  const logged = await askRequestLog(c, programId, (log) =>
    log.list({ programId, filter, after, limit: requestPageSize + 1 }),
  );
  if (!logged.ok) return logged;
  const { calls, dropped } = logged.value;
  const hashes = [...new Set(calls.flatMap(({ keyHash }) => keyHash ?? []))];
  const names = await readFromDatabase(c, "program", (database) => keyNamesOf(database, programId, hashes));
  return names.ok ? ok(pageOf(calls, dropped, names.value)) : names;
}

function pageOf(calls: readonly LoggedCall[], dropped: number, names: ReadonlyMap<string, string>) {
  const { page, meta } = requestCursors.pageOf(calls, requestPageSize, ({ at, number }) => ({ at, number }));
  const rows = page.map((call) => requestRecord.reply({ ...call, keyName: names.get(call.keyHash ?? "") }));
  return { rows, meta: { ...meta, dropped } };
}

export const Dropped = int64().describe(
  "Number of calls in the last seven days that aren't listed because there was no room for them.",
);

/**
 * Calls the program's RequestLog, and once more if the object was reset meanwhile. Refuses if the log is unavailable.
 */
export async function askRequestLog<Answer>(
  c: Ctx,
  programId: ProgramId,
  ask: (log: RequestLogRpc) => Promise<Answer>,
): Promise<Result<Answer>> {
  try {
    return ok(await ask(requestLogOf(c.env, programId)).catch(() => ask(requestLogOf(c.env, programId))));
  } catch (error) {
    logError(c, error);
    return refused(unavailable);
  }
}
