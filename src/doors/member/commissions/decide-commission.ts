import type { Result } from "#domain/result.ts";
import { runOperation } from "#http/call-ledger.ts";
import type { Ctx } from "#http/context.ts";
import { readId } from "#http/schema/id.ts";
import type { DecideCommissionCall } from "#operations/manage/decide-commission.ts";
import { actingMember } from "../actor.ts";
import type { commissionRecord } from "./commission-record.ts";
import { loadCommission, noCommission } from "./load-commission.ts";

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
  const decided = await runOperation(c, decide);
  if (!decided.ok) return decided;
  return loadCommission(c, commissionId);
}
