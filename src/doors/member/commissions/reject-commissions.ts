import { body, createRoute, endpoint, returns, refusals, refuse, withJsonBody } from "#http/endpoint.ts";
import * as z from "#http/schema/zod.ts";
import { inputRefusals, memberWriteRefusals, programMember } from "../guards.ts";
import { partnerNote, reason } from "../notes.ts";
import { ProgramPath } from "../params.ts";
import { DecisionsReply, decideMany, eitherSelection, selectionFields } from "./decide-many.ts";

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
      "Decides each commission by itself and returns one outcome each: one that is refused leaves the others as they are. Counts as one write.",
    ...withJsonBody(programMember("admin")),
    request: { params: ProgramPath, body: body(RejectMany) },
    responses: {
      ...returns("Outcomes", DecisionsReply),
      ...refusals([...memberWriteRefusals, ...inputRefusals, "count_differs"]),
    },
  }),
  handler: async (c) => {
    const { reason, partnerNote, ...selection } = c.req.valid("json");
    const decided = await decideMany(c, selection, { decision: "rejected", reason, partnerNote });
    return decided.ok ? c.json(decided.value, 200) : refuse(c, decided.refusal);
  },
});
