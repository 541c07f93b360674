import { commissionRecord } from "#api/commissions.ts";
import type { CommissionId } from "#domain/ids.ts";
import { type Result, refused } from "#domain/result.ts";
import { runOperation } from "#http/call-ledger.ts";
import type { Ctx } from "#http/context.ts";
import { body, createRoute, endpoint, refusals, refuse, returns, withJsonBody } from "#http/endpoint.ts";
import * as z from "#http/schema/zod.ts";
import type { DecideCommissionCall } from "#operations/manage/decide-commission.ts";
import type { ReviewCommissionsCall } from "#operations/manage/review-commissions.ts";
import { actingMember } from "./actor.ts";
import { noTexts, reviewMany } from "./bulk-decisions.ts";
import { loadCommission } from "./commissions.ts";
import { inputRefusals, memberWriteRefusals, programMember } from "./guards.ts";
import { partnerNote, reason, releaseNote, shortReason } from "./notes.ts";
import { CommissionPath } from "./params.ts";

export async function decideCommission(
  c: Ctx & Parameters<typeof actingMember>[0],
  commissionId: CommissionId,
  decision: "approved" | "rejected",
  { reason, partnerNote }: Pick<DecideCommissionCall, "reason" | "partnerNote"> = noTexts,
): Promise<Result<ReturnType<typeof commissionRecord.reply>>> {
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

export async function reviewCommission(
  c: Parameters<typeof reviewMany>[0],
  commissionId: CommissionId,
  review: ReviewCommissionsCall["review"],
): Promise<Result<ReturnType<typeof commissionRecord.reply>>> {
  const reviewed = await reviewMany(c, [commissionId], review);
  if (!reviewed.ok) return reviewed;
  const [outcome] = reviewed.value;
  return outcome?.result === "refused" ? refused(outcome.refusal) : loadCommission(c, commissionId);
}

export const approveCommission = endpoint({
  route: createRoute({
    method: "post",
    path: "/programs/{programId}/commissions/{commissionId}/approve",
    operationId: "approveCommission",
    tags: ["Management"],
    summary: "Approve a commission",
    description: "Ends the hold, so that the next payout takes the commission. Approving it again changes nothing.",
    ...programMember("admin"),
    request: { params: CommissionPath },
    responses: {
      ...returns("The approved commission", z.object({ data: commissionRecord.schema })),
      ...refusals([...memberWriteRefusals, "moving", "commission_closed"]),
    },
  }),
  handler: async (c) => {
    const decided = await decideCommission(c, c.req.valid("param").commissionId, "approved");
    return decided.ok ? c.json({ data: decided.value }, 200) : refuse(c, decided.refusal);
  },
});

const Rejection = z.object({ reason: reason(), partnerNote: partnerNote() }).openapi("Rejection");

export const rejectCommission = endpoint({
  route: createRoute({
    method: "post",
    path: "/programs/{programId}/commissions/{commissionId}/reject",
    operationId: "rejectCommission",
    tags: ["Management"],
    summary: "Reject a commission",
    description:
      "The commission pays nothing from then on. Possible until a payout reserves it. Rejecting it again changes nothing; rejecting can't be undone.",
    ...withJsonBody(programMember("admin")),
    request: { params: CommissionPath, body: body(Rejection) },
    responses: {
      ...returns("The rejected commission", z.object({ data: commissionRecord.schema })),
      ...refusals([...memberWriteRefusals, ...inputRefusals, "moving", "commission_closed"]),
    },
  }),
  handler: async (c) => {
    const texts = c.req.valid("json");
    const decided = await decideCommission(c, c.req.valid("param").commissionId, "rejected", texts);
    return decided.ok ? c.json({ data: decided.value }, 200) : refuse(c, decided.refusal);
  },
});

const Hold = z.object({ reason: shortReason(), partnerNote: partnerNote() }).openapi("Hold");

export const holdCommission = endpoint({
  route: createRoute({
    method: "post",
    path: "/programs/{programId}/commissions/{commissionId}/hold",
    operationId: "holdCommission",
    tags: ["Management"],
    summary: "Hold a commission",
    description:
      "It stays on hold, or is on hold again if its hold has ended, until a member releases, approves or rejects it. Holding it again changes nothing.",
    ...withJsonBody(programMember("admin")),
    request: { params: CommissionPath, body: body(Hold) },
    responses: {
      ...returns("The held commission", z.object({ data: commissionRecord.schema })),
      ...refusals([...memberWriteRefusals, ...inputRefusals, "not_open", "approved_by_person", "reserved"]),
    },
  }),
  handler: async (c) => {
    const review = { action: "hold", ...c.req.valid("json") } as const;
    const held = await reviewCommission(c, c.req.valid("param").commissionId, review);
    return held.ok ? c.json({ data: held.value }, 200) : refuse(c, held.refusal);
  },
});

const Release = z.object({ note: releaseNote() }).openapi("Release");

export const releaseCommission = endpoint({
  route: createRoute({
    method: "post",
    path: "/programs/{programId}/commissions/{commissionId}/release",
    operationId: "releaseCommission",
    tags: ["Management"],
    summary: "Release a held commission",
    description:
      "It gets the state that it would have without the hold: approved if its hold is over and it is confirmed, else on hold until then. Releasing one that isn't held changes nothing.",
    ...withJsonBody(programMember("admin")),
    request: { params: CommissionPath, body: body(Release) },
    responses: {
      ...returns("The released commission", z.object({ data: commissionRecord.schema })),
      ...refusals([...memberWriteRefusals, ...inputRefusals]),
    },
  }),
  handler: async (c) => {
    const review = { action: "release", ...c.req.valid("json") } as const;
    const released = await reviewCommission(c, c.req.valid("param").commissionId, review);
    return released.ok ? c.json({ data: released.value }, 200) : refuse(c, released.refusal);
  },
});
