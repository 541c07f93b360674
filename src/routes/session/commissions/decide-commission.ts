import { ok, type Result, refused } from "#domain/result.ts";
import { callLedger } from "#http/call-ledger.ts";
import { refAdder } from "#http/commission-ref.ts";
import type { Ctx } from "#http/context.ts";
import { readId } from "#http/schema/id.ts";
import type { DecideCommissionCall } from "#operations/manage/decide-commission.ts";
import { findCommission } from "#store/views/commissions.ts";
import { readFromDatabase } from "../../read-database.ts";
import { actingMember } from "../actor.ts";
import { commissionRecord } from "./commission-record.ts";

const noCommission = refused({ code: "not_found", what: "commission" });

/** Of an approval. */
export const noTexts = { reason: null, partnerNote: null } as const;

export async function decideCommission(
  c: Ctx & Parameters<typeof actingMember>[0],
  id: string,
  decision: "approved" | "rejected",
  { reason, partnerNote }: Pick<DecideCommissionCall, "reason" | "partnerNote"> = noTexts,
): Promise<Result<ReturnType<typeof commissionRecord.reply>>> {
  const commissionId = readId(id);
  if (commissionId === undefined) return noCommission;
  const decide = {
    ...actingMember(c),
    kind: "decide-commission",
    commissionId,
    decision,
    reason,
    partnerNote,
  } as const;
  const decided = await callLedger(c, decide, (ledger) => ledger.run(decide));
  if (!decided.ok) return decided;
  const found = await readFromDatabase(c, "program", (database) =>
    findCommission(database, decide.programId, commissionId),
  );
  if (!found.ok) return found;
  return found.value ? ok(commissionRecord.reply(refAdder(c, decide.programId)(found.value))) : noCommission;
}
