import { updatePartner as updatePartnerIn } from "#api/change-partner.ts";
import { placeholderIn } from "#domain/caller-id.ts";
import { activeStatuses } from "#domain/program-status.ts";
import { body, createRoute, endpoint, returns, refusals, refuse, withJsonBody } from "#http/endpoint.ts";
import * as fields from "#http/schema/form-fields.ts";
import { readId } from "#http/schema/id.ts";
import * as z from "#http/schema/zod.ts";
import { actingMember } from "../actor.ts";
import { inputRefusals, memberWriteRefusals, programMember, reauthenticated } from "../guards.ts";
import { PartnerPath } from "../params.ts";
import { partnerRecord, partnerReply } from "./partner-record.ts";

const PartnerChanges = z
  .object({
    status: fields.omittable(fields.oneOf("status", activeStatuses)),
    name: fields.omittable(fields.nonBlank("name")),
    email: fields.emailOrEmpty("email").nullish().describe("Null or empty removes it."),
    externalId: fields.callerId("externalId").nullish().describe("Null removes it."),
    destinationUrl: fields
      .webUrl("destinationUrl")
      .transform((url) => url || null)
      .nullish()
      .describe("Null or empty: the link leads to the program's website."),
    groupId: fields
      .programId("groupId")
      .nullish()
      .describe("Group whose policy decides the partner's sales from now on. Null takes the partner out."),
    riskExempt: fields
      .omittable(fields.flag("riskExempt"))
      .describe("Signals only flag the partner's later commissions, and hold none."),
  })
  .openapi("PartnerChanges");

const noPartner = { code: "not_found", what: "partner" } as const;

export const updatePartner = endpoint({
  route: createRoute({
    method: "patch",
    path: "/programs/{programId}/partners/{partnerId}",
    operationId: "updatePartner",
    tags: ["Management"],
    summary: "Update a partner",
    description:
      "A paused partner's clicks are not recorded, and their sales earn nothing. Commissions already earned stay.",
    ...reauthenticated(withJsonBody(programMember("admin")), "email"),
    request: { params: PartnerPath, body: body(PartnerChanges) },
    responses: {
      ...returns("The updated partner", z.object({ data: partnerRecord.schema })),
      ...refusals([
        "reauthenticate",
        ...memberWriteRefusals,
        ...inputRefusals,
        "placeholder_id",
        "external_id_taken",
        "partner_erased",
        "too_many_memberships",
      ]),
    },
  }),
  handler: async (c) => {
    const partnerId = readId(c.req.valid("param").partnerId);
    if (partnerId === undefined) return refuse(c, noPartner);
    const { riskExempt: isRiskExempt, ...sent } = c.req.valid("json");
    const changes = { ...sent, isRiskExempt };
    const placeholder = placeholderIn({ externalId: sent.externalId });
    const update = { ...actingMember(c), kind: "update-partner", partnerId, changes, placeholder } as const;
    const updated = await updatePartnerIn(c, c.get("program"), update);
    return updated.ok ? c.json({ data: partnerReply(updated.value, true) }, 200) : refuse(c, updated.refusal);
  },
});
