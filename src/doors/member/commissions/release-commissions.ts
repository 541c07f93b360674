import { body, createRoute, endpoint, returns, refusals, refuse, withJsonBody } from "#http/endpoint.ts";
import * as z from "#http/schema/zod.ts";
import { inputRefusals, memberWriteRefusals, programMember } from "../guards.ts";
import { releaseNote } from "../notes.ts";
import { ProgramPath } from "../params.ts";
import { outcomeReply } from "./outcome.ts";
import { ReviewsReply, reviewedIds, reviewMany } from "./review-many.ts";

const ReleaseMany = z.object({ ids: reviewedIds(), note: releaseNote() }).openapi("Releases");

export const releaseCommissions = endpoint({
  route: createRoute({
    method: "post",
    path: "/programs/{programId}/commissions/release",
    operationId: "releaseCommissions",
    tags: ["Management"],
    summary: "Release commissions in bulk",
    description: "Returns one outcome each: one that is refused leaves the others as they are. Counts as one write.",
    ...withJsonBody(programMember("admin")),
    request: { params: ProgramPath, body: body(ReleaseMany) },
    responses: {
      ...returns("Outcomes", ReviewsReply),
      ...refusals([...memberWriteRefusals, ...inputRefusals]),
    },
  }),
  handler: async (c) => {
    const { ids, note } = c.req.valid("json");
    const reviewed = await reviewMany(c, ids, { action: "release", note });
    return reviewed.ok ? c.json({ data: reviewed.value.map(outcomeReply) }, 200) : refuse(c, reviewed.refusal);
  },
});
