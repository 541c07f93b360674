import { ok, type Result, refused } from "../../../domain/result.ts";
import { callLedger } from "../../../http/call-ledger.ts";
import type { Ctx } from "../../../http/context.ts";
import type { PayoutRow } from "../../../store/payouts.ts";
import { listFreeing, type PayoutView, readPayout } from "../../../store/views/payouts.ts";
import { readFromDatabase } from "../../read-database.ts";

/** After this long, a payout in progress is answered as it stands. */
const waitMs = 5_000;

const noPayout = { code: "not_found", what: "payout" } as const;

/** Waits for the steps that the payout has left. The Ledger takes them even if nobody waits. */
export async function advancePayout(c: Ctx, payout: PayoutRow): Promise<void> {
  if (payout.phase === null) return;
  const end = c.get("call").at + waitMs;
  await callLedger(c, { programId: payout.programId }, (ledger) =>
    ledger.advancePayout(payout, Math.max(0, Math.min(waitMs, end - Date.now()))),
  );
}

/** A payout that was canceled, or whose line failed, a moment ago may not have freed all of its entries yet. */
export async function finishFreeing(c: Ctx, programId: number): Promise<Result<undefined>> {
  const found = await readFromDatabase(c, (database) => listFreeing(database, programId));
  if (!found.ok) return found;
  for (const payout of found.value) await advancePayout(c, payout);
  return ok(undefined);
}

export async function loadPayout(c: Ctx, programId: number, payoutId: number): Promise<Result<PayoutView>> {
  const query = { programId, id: payoutId, at: c.get("call").at };
  const found = await readFromDatabase(c, (database) => readPayout(database, query));
  if (!found.ok) return found;
  return found.value === undefined ? refused(noPayout) : ok(found.value);
}

export async function settlePayout(c: Ctx, payout: PayoutRow): Promise<Result<PayoutView>> {
  await advancePayout(c, payout);
  return loadPayout(c, payout.programId, payout.id);
}
