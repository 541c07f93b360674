import { body, createRoute, endpoint, returns, refusals, refuse, withJsonBody } from "#http/endpoint.ts";
import * as z from "#http/schema/zod.ts";
import { inputRefusals, memberWriteRefusals, programMember } from "../guards.ts";
import { partnerNote, shortReason } from "../notes.ts";
import { ProgramPath } from "../params.ts";
import { outcomeReply } from "./outcome.ts";
import { ReviewsReply, reviewedIds, reviewMany } from "./review-many.ts";

const HoldMany = z.object({ ids: reviewedIds(), reason: shortReason(), partnerNote: partnerNote() }).openapi("Holds");

export const holdCommissions = endpoint({
  route: createRoute({
    method: "post",
    path: "/programs/{programId}/commissions/hold",
    operationId: "holdCommissions",
    tags: ["Management"],
    summary: "Hold commissions in bulk",
    description: "Returns one outcome each: one that is refused leaves the others as they are. Counts as one write.",
    ...withJsonBody(programMember("admin")),
    request: { params: ProgramPath, body: body(HoldMany) },
    responses: {
      ...returns("Outcomes", ReviewsReply),
      ...refusals([...memberWriteRefusals, ...inputRefusals]),
    },
  }),
  handler: async (c) => {
    const { ids, reason, partnerNote } = c.req.valid("json");
    const reviewed = await reviewMany(c, ids, { action: "hold", reason, partnerNote });
    return reviewed.ok ? c.json({ data: reviewed.value.map(outcomeReply) }, 200) : refuse(c, reviewed.refusal);
  },
});
