import { body, createRoute, endpoint, returns, refusals, refuse, withJsonBody } from "#http/endpoint.ts";
import * as z from "#http/schema/zod.ts";
import { inputRefusals, memberWriteRefusals, programMember } from "../guards.ts";
import { releaseNote } from "../notes.ts";
import { CommissionPath } from "../params.ts";
import { commissionRecord } from "./commission-record.ts";
import { reviewCommission } from "./review-commission.ts";

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
