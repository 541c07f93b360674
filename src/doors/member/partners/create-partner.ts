import { createPartner as createPartnerIn } from "#api/change-partner.ts";
import { placeholderIn } from "#domain/caller-id.ts";
import { body, created, createRoute, endpoint, returns, refusals, refuse, withJsonBody } from "#http/endpoint.ts";
import * as fields from "#http/schema/form-fields.ts";
import * as z from "#http/schema/zod.ts";
import { actingMember } from "../actor.ts";
import { inputRefusals, memberWriteRefusals, programMember } from "../guards.ts";
import { ProgramPath } from "../params.ts";
import { externalIdText, partnerCode, partnerRecord, partnerReply } from "./partner-record.ts";

const NewPartner = z
  .object({
    name: fields.nonBlank("name"),
    email: fields.optional(fields.email("email")),
    code: partnerCode(),
    externalId: fields.optional(fields.callerId("externalId")).describe(externalIdText),
    destinationUrl: fields.optionalText(fields.webUrl("destinationUrl")).describe("Defaults to the program's website."),
    groupId: fields.optional(fields.programId("groupId")).describe("Group that the partner is in from the beginning."),
  })
  .openapi("NewPartner");

export const createPartner = endpoint({
  route: createRoute({
    method: "post",
    path: "/programs/{programId}/partners",
    operationId: "createPartner",
    tags: ["Management"],
    summary: "Create a partner",
    description: "The partner earns commissions from sales through links with their code, from the next click on.",
    ...withJsonBody(programMember("admin")),
    request: { params: ProgramPath, body: body(NewPartner) },
    responses: {
      ...created("Partner created", z.object({ data: partnerRecord.schema })),
      ...returns("Partner with this external id, created before", z.object({ data: partnerRecord.schema })),
      ...refusals([
        ...memberWriteRefusals,
        ...inputRefusals,
        ...(["placeholder_id", "differs", "code_taken", "cap_reached", "program_archived"] as const),
      ]),
    },
  }),
  handler: async (c) => {
    const sent = c.req.valid("json");
    const placeholder = placeholderIn({ code: sent.code, externalId: sent.externalId });
    const create = { ...actingMember(c), kind: "create-partner", ...sent, placeholder } as const;
    const outcome = await createPartnerIn(c, c.get("program"), create);
    if (!outcome.ok) return refuse(c, outcome.refusal);
    const { partner, isNew } = outcome.value;
    return c.json({ data: partnerReply(partner, true) }, isNew ? 201 : 200);
  },
});
