import type { PayoutId, ProgramId } from "#domain/ids.ts";
import { ok, type Result, refused } from "#domain/result.ts";
import type { Ctx } from "#http/context.ts";
import { type PayoutView, readPayout } from "#store/views/payouts.ts";
import { readFromDatabase } from "../../read-database.ts";

const noPayout = { code: "not_found", what: "payout" } as const;

export async function loadPayout(c: Ctx, programId: ProgramId, payoutId: PayoutId): Promise<Result<PayoutView>> {
  const query = { programId, id: payoutId, at: c.get("call").at };
  const found = await readFromDatabase(c, "program", (database) => readPayout(database, query));
  if (!found.ok) return found;
  return found.value === undefined ? refused(noPayout) : ok(found.value);
}
