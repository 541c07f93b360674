import { ok, type Result, refused } from "#domain/result.ts";
import { runOperation } from "#http/call-ledger.ts";
import type { Ctx } from "#http/context.ts";
import * as fields from "#http/schema/form-fields.ts";
import * as z from "#http/schema/zod.ts";
import type { ReviewCommissionsCall, ReviewOutcome } from "#operations/manage/review-commissions.ts";
import { actingMember } from "../actor.ts";
import { outcomeSchema } from "./outcome.ts";

const maxPerCall = 500;
const idsMessage = `Send ids (1 to ${maxPerCall})`;

export const reviewedIds = () =>
  z
    .array(fields.programId("ids"), idsMessage)
    .min(1, idsMessage)
    .max(maxPerCall, idsMessage)
    .describe("Commissions of the program.");

export const ReviewsReply = z.object({
  data: z.array(outcomeSchema("ReviewOutcome", ["held", "released", "unchanged"])),
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
  const reviewed = await runOperation(c, call);
  return reviewed.ok ? ok(reviewed.answer) : refused(reviewed.refusal);
}
