import { restAfter } from "#domain/rest.ts";
import { ok, type Result, refused, retryAfterSeconds } from "#domain/result.ts";
import { callLedger } from "#http/call-ledger.ts";
import type { Ctx } from "#http/context.ts";
import { resting } from "#http/turns.ts";
import type { LongReadStep } from "#ledger/rpc.ts";
import type { Database } from "#store/database.ts";
import { readFromDatabase } from "./read-database.ts";

// A long read takes seconds. The Ledger lets each program run one read of a kind at a time.

export type LongRead = Pick<LongReadStep, "kind" | "programId" | "userId">;

export async function admitStep(c: Ctx, read: LongRead, step: LongReadStep["step"]): Promise<Result<undefined>> {
  const { operationId } = c.get("call");
  const outcome = await callLedger(c, read, (ledger) => ledger.admitLongRead({ ...read, operationId, step }));
  if (!outcome.ok) return outcome;
  return outcome.answer ? ok(undefined) : refused({ code: `${read.kind}_running`, retryAfterSeconds });
}

/** Reads one step, then pauses so that sales aren't delayed. `rest` is passed to `restAfter`. */
export async function readStep<T>(
  c: Ctx,
  by: LongRead | undefined,
  read: (database: Database) => Promise<T>,
  rest?: number,
): Promise<Result<T>> {
  const admitted = by === undefined ? ok(undefined) : await admitStep(c, by, "continue");
  if (!admitted.ok) return admitted;
  const startedAt = Date.now();
  const found = await readFromDatabase(c, "program", read);
  await resting(restAfter(Date.now() - startedAt, rest));
  return found;
}
