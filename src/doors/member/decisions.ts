import { commissionRecord } from "#api/commissions.ts";
import {
  DecisionsReply,
  decideMany,
  decideOne,
  eitherSelection,
  noTexts,
  outcomeReply,
  ReviewsReply,
  reviewedIds,
  reviewMany,
  reviewOne,
  selectionFields,
} from "#api/decisions.ts";
import { partnerNote, reason, releaseNote, shortReason } from "#api/notes.ts";
import { body, createRoute, endpoint, refusals, refuse, returns, withJsonBody } from "#http/endpoint.ts";
import * as z from "#http/schema/zod.ts";
import { actingMember } from "./actor.ts";
import { inputRefusals, memberWriteRefusals, programMember } from "./guards.ts";
import { CommissionPath, ProgramPath } from "./params.ts";
import { proposable, proposableRefusals } from "./proposed.ts";

export const approveCommission = endpoint({
  route: createRoute({
    method: "post",
    path: "/programs/{programId}/commissions/{commissionId}/approve",
    operationId: "approveCommission",
    tags: ["Management"],
    summary: "Approve a commission",
    description: "Ends the hold, so that the next payout includes the commission. Approving it again changes nothing.",
    ...programMember("admin"),
    request: { params: CommissionPath },
    responses: {
      ...returns("The approved commission", z.object({ data: commissionRecord.schema })),
      ...refusals([...memberWriteRefusals, "moving", "commission_closed"]),
    },
  }),
  handler: async (c) => {
    const decided = await decideOne(c, actingMember(c), c.req.valid("param").commissionId, {
      decision: "approved",
      ...noTexts,
    });
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
    const decision = { decision: "rejected", ...c.req.valid("json") } as const;
    const decided = await decideOne(c, actingMember(c), c.req.valid("param").commissionId, decision);
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
      "Keeps the commission on hold, or puts it on hold again if its hold has ended, until a member releases, approves or rejects it. Holding it again changes nothing.",
    ...withJsonBody(programMember("admin")),
    request: { params: CommissionPath, body: body(Hold) },
    responses: {
      ...returns("The held commission", z.object({ data: commissionRecord.schema })),
      ...refusals([...memberWriteRefusals, ...inputRefusals, "not_open", "approved_by_person", "reserved"]),
    },
  }),
  handler: async (c) => {
    const review = { action: "hold", ...c.req.valid("json") } as const;
    const held = await reviewOne(c, actingMember(c), c.req.valid("param").commissionId, review);
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
      "The commission gets the state that it would have without the hold: approved if its hold period is over and it is confirmed, otherwise on hold until then. Releasing a commission that isn't held changes nothing.",
    ...withJsonBody(programMember("admin")),
    request: { params: CommissionPath, body: body(Release) },
    responses: {
      ...returns("The released commission", z.object({ data: commissionRecord.schema })),
      ...refusals([...memberWriteRefusals, ...inputRefusals]),
    },
  }),
  handler: async (c) => {
    const review = { action: "release", ...c.req.valid("json") } as const;
    const released = await reviewOne(c, actingMember(c), c.req.valid("param").commissionId, review);
    return released.ok ? c.json({ data: released.value }, 200) : refuse(c, released.refusal);
  },
});

const ApproveMany = z
  .object(selectionFields)
  .refine(...eitherSelection())
  .openapi("Approvals");

export const approveCommissions = endpoint({
  route: createRoute({
    method: "post",
    path: "/programs/{programId}/commissions/approve",
    operationId: "approveCommissions",
    tags: ["Management"],
    summary: "Approve commissions in bulk",
    description:
      "Decides each commission separately and returns one outcome each: a refusal doesn't affect the others. Counts as one write for the rate limit.",
    ...proposable(withJsonBody(programMember("admin"))),
    request: { params: ProgramPath, body: body(ApproveMany) },
    responses: {
      ...returns("Outcomes", DecisionsReply),
      ...refusals([...proposableRefusals, "count_differs"]),
    },
  }),
  handler: async (c) => {
    const decided = await decideMany(c, actingMember(c), c.req.valid("json"), { decision: "approved", ...noTexts });
    return decided.ok ? c.json(decided.value, 200) : refuse(c, decided.refusal);
  },
});

const RejectMany = z
  .object({ ...selectionFields, reason: reason(), partnerNote: partnerNote() })
  .refine(...eitherSelection())
  .openapi("Rejections");

export const rejectCommissions = endpoint({
  route: createRoute({
    method: "post",
    path: "/programs/{programId}/commissions/reject",
    operationId: "rejectCommissions",
    tags: ["Management"],
    summary: "Reject commissions in bulk",
    description:
      "Decides each commission separately and returns one outcome each: a refusal doesn't affect the others. Counts as one write for the rate limit.",
    ...proposable(withJsonBody(programMember("admin"))),
    request: { params: ProgramPath, body: body(RejectMany) },
    responses: {
      ...returns("Outcomes", DecisionsReply),
      ...refusals([...proposableRefusals, "count_differs"]),
    },
  }),
  handler: async (c) => {
    const { reason, partnerNote, ...selection } = c.req.valid("json");
    const decided = await decideMany(c, actingMember(c), selection, { decision: "rejected", reason, partnerNote });
    return decided.ok ? c.json(decided.value, 200) : refuse(c, decided.refusal);
  },
});

const HoldMany = z.object({ ids: reviewedIds(), reason: shortReason(), partnerNote: partnerNote() }).openapi("Holds");

export const holdCommissions = endpoint({
  route: createRoute({
    method: "post",
    path: "/programs/{programId}/commissions/hold",
    operationId: "holdCommissions",
    tags: ["Management"],
    summary: "Hold commissions in bulk",
    description:
      "Decides each commission separately and returns one outcome each: a refusal doesn't affect the others. Counts as one write for the rate limit.",
    ...proposable(withJsonBody(programMember("admin"))),
    request: { params: ProgramPath, body: body(HoldMany) },
    responses: {
      ...returns("Outcomes", ReviewsReply),
      ...refusals(proposableRefusals),
    },
  }),
  handler: async (c) => {
    const { ids, reason, partnerNote } = c.req.valid("json");
    const reviewed = await reviewMany(c, actingMember(c), ids, { action: "hold", reason, partnerNote });
    return reviewed.ok ? c.json({ data: reviewed.value.map(outcomeReply) }, 200) : refuse(c, reviewed.refusal);
  },
});

const ReleaseMany = z.object({ ids: reviewedIds(), note: releaseNote() }).openapi("Releases");

export const releaseCommissions = endpoint({
  route: createRoute({
    method: "post",
    path: "/programs/{programId}/commissions/release",
    operationId: "releaseCommissions",
    tags: ["Management"],
    summary: "Release commissions in bulk",
    description:
      "Decides each commission separately and returns one outcome each: a refusal doesn't affect the others. Counts as one write for the rate limit.",
    ...withJsonBody(programMember("admin")),
    request: { params: ProgramPath, body: body(ReleaseMany) },
    responses: {
      ...returns("Outcomes", ReviewsReply),
      ...refusals([...memberWriteRefusals, ...inputRefusals]),
    },
  }),
  handler: async (c) => {
    const { ids, note } = c.req.valid("json");
    const reviewed = await reviewMany(c, actingMember(c), ids, { action: "release", note });
    return reviewed.ok ? c.json({ data: reviewed.value.map(outcomeReply) }, 200) : refuse(c, reviewed.refusal);
  },
});
