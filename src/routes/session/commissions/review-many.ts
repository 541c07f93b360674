import type { RefusalCode } from "#domain/refusal.ts";
import { ok, type Result, refused } from "#domain/result.ts";
import { callLedger } from "#http/call-ledger.ts";
import type { Ctx } from "#http/context.ts";
import { messageOf } from "#http/refusal/table.ts";
import * as fields from "#http/schema/form-fields.ts";
import * as z from "#http/schema/zod.ts";
import type { ReviewCommissionsCall, ReviewOutcome } from "#operations/manage/review-commissions.ts";
import { actingMember } from "../actor.ts";

const maxPerCall = 500;
const idsMessage = `Send ids (1 to ${maxPerCall})`;

export const reviewedIds = () =>
  z
    .array(fields.programId("ids"), idsMessage)
    .min(1, idsMessage)
    .max(maxPerCall, idsMessage)
    .describe("Commissions of the program.");

export const ReviewsReply = z.object({
  data: z.array(
    z
      .object({
        id: z.int(),
        result: z.enum(["held", "released", "unchanged", "refused"]),
        code: z.string().optional().describe("Refusal code."),
        message: z.string().optional().describe("Reason for the refusal."),
      })
      .openapi("ReviewOutcome"),
  ),
});

type MemberContext = Ctx & Parameters<typeof actingMember>[0];
type Review = ReviewCommissionsCall["review"];

/** In one commit. */
export async function reviewMany(
  c: MemberContext,
  ids: readonly number[],
  review: Review,
): Promise<Result<readonly ReviewOutcome[]>> {
  const [first, ...others] = new Set(ids);
  if (first === undefined) return ok([]);
  const call = {
    ...actingMember(c),
    kind: "review-commissions",
    commissionIds: [first, ...others],
    review,
  } as const;
  const reviewed = await callLedger(c, call, (ledger) => ledger.run(call));
  return reviewed.ok ? ok(reviewed.answer) : refused(reviewed.refusal);
}

export function outcomeReply(outcome: ReviewOutcome): z.output<typeof ReviewsReply>["data"][number] {
  const { id, result } = outcome;
  if (result !== "refused") return { id, result };
  const { refusal } = outcome;
  return { id, result, code: refusal.code satisfies RefusalCode, message: messageOf(refusal, undefined) };
}
