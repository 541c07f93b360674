import { type Result, refused } from "#domain/result.ts";
import { readId } from "#http/schema/id.ts";
import type { ReviewCommissionsCall } from "#operations/manage/review-commissions.ts";
import type { commissionRecord } from "./commission-record.ts";
import { loadCommission, noCommission } from "./load-commission.ts";
import { reviewMany } from "./review-many.ts";

export async function reviewCommission(
  c: Parameters<typeof reviewMany>[0],
  id: string,
  review: ReviewCommissionsCall["review"],
): Promise<Result<ReturnType<typeof commissionRecord.reply>>> {
  const commissionId = readId(id);
  if (commissionId === undefined) return noCommission;
  const reviewed = await reviewMany(c, [commissionId], review);
  if (!reviewed.ok) return reviewed;
  const [outcome] = reviewed.value;
  return outcome?.result === "refused" ? refused(outcome.refusal) : loadCommission(c, commissionId);
}
