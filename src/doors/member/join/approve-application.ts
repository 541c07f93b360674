import { refused } from "#domain/result.ts";
import { body, createRoute, endpoint, returns, refusals, refuse, withJsonBody } from "#http/endpoint.ts";
import * as fields from "#http/schema/form-fields.ts";
import { readId } from "#http/schema/id.ts";
import { id } from "#http/schema/integers.ts";
import * as z from "#http/schema/zod.ts";
import { inputRefusals, memberWriteRefusals, programMember } from "../guards.ts";
import { ApplicationPath } from "../params.ts";
import { newPartnerCode } from "../partners/partner-record.ts";
import { approveApplications } from "./decide-application.ts";

const Approve = z
  .object({
    code: fields.optional(newPartnerCode()).describe("Defaults to one made from the name."),
    groupId: fields
      .programId("groupId")
      .nullish()
      .describe("Group of the partner from the beginning. Defaults to that of the join page; null is none."),
  })
  .openapi("ApproveApplication");

const Decided = z.object({ status: z.literal("approved"), partnerId: id() }).openapi("ApplicationApproved");

export const approveApplication = endpoint({
  route: createRoute({
    method: "post",
    path: "/programs/{programId}/applications/{applicationId}/approve",
    operationId: "approveApplication",
    tags: ["Partners' access"],
    summary: "Approve an application",
    description: "Makes the partner and gives the account access at once. A repeat changes nothing.",
    ...withJsonBody(programMember("admin")),
    request: { params: ApplicationPath, body: body(Approve) },
    responses: {
      ...returns("Approved", z.object({ data: Decided })),
      ...refusals([
        ...memberWriteRefusals,
        ...inputRefusals,
        "member_of_workspace",
        "decided",
        "code_taken",
        "cap_reached",
        "program_archived",
      ]),
    },
  }),
  handler: async (c) => {
    const id = readId(c.req.valid("param").applicationId);
    if (id === undefined) return refuse(c, { code: "not_found", what: "application" });
    const outcomes = await approveApplications(c, c.get("program"), [id], c.req.valid("json"));
    if (!outcomes.ok) return refuse(c, outcomes.refusal);
    const [decided = refused({ code: "internal" })] = outcomes.value;
    if (!decided.ok) return refuse(c, decided.refusal);
    const { partnerId } = decided.value;
    if (partnerId === null) return refuse(c, { code: "internal" });
    return c.json({ data: { status: "approved" as const, partnerId } }, 200);
  },
});
