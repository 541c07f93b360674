import { body, createRoute, endpoint, returns, refusals, refuse, withJsonBody } from "#http/endpoint.ts";
import * as z from "#http/schema/zod.ts";
import { inputRefusals, memberWriteRefusals, programMember } from "../guards.ts";
import { ProgramPath } from "../params.ts";
import { noTexts } from "./decide-commission.ts";
import { DecisionsReply, decideMany, eitherSelection, selectionFields } from "./decide-many.ts";

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
      "Decides each commission by itself and returns one outcome each: one that is refused leaves the others as they are. Counts as one write.",
    ...withJsonBody(programMember("admin")),
    request: { params: ProgramPath, body: body(ApproveMany) },
    responses: {
      ...returns("Outcomes", DecisionsReply),
      ...refusals([...memberWriteRefusals, ...inputRefusals, "count_differs"]),
    },
  }),
  handler: async (c) => {
    const decided = await decideMany(c, c.req.valid("json"), { decision: "approved", ...noTexts });
    return decided.ok ? c.json(decided.value, 200) : refuse(c, decided.refusal);
  },
});
