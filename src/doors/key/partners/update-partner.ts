import { updatePartner as updateIn } from "#api/change-partner.ts";
import { placeholderIn } from "#domain/caller-id.ts";
import { activeStatuses } from "#domain/program-status.ts";
import {
  body,
  bodyRefusals,
  commonRefusals,
  createRoute,
  endpoint,
  keyRefusals,
  returns,
  refusals,
  refuse,
  withJsonBody,
} from "#http/endpoint.ts";
import { reply } from "#http/reply.ts";
import * as fields from "#http/schema/form-fields.ts";
import { readId } from "#http/schema/id.ts";
import * as z from "#http/schema/zod.ts";
import { changeByKey } from "../change-by-key.ts";
import { checkedKey } from "../checked-key.ts";
import { programKeyRequired } from "../guards.ts";
import { PartnerReply, partnerOf } from "./partner.ts";

const PartnerChanges = z
  .object({
    status: fields.omittable(fields.oneOf("status", activeStatuses)),
    name: fields.omittable(fields.nonBlank("name")),
    email: fields.emailOrEmpty("email").nullish().describe("Null or empty removes it."),
    external_id: fields.callerId("external_id").nullish().describe("Null removes it."),
    destination_url: fields
      .webUrl("destination_url")
      .transform((url) => url || null)
      .nullish()
      .describe("Null or empty: the link leads to the program's website."),
  })
  .openapi("PartnerChanges");

const noPartner = { code: "not_found", what: "partner" } as const;

export const updatePartner = endpoint({
  route: createRoute({
    method: "patch",
    path: "/me/partners/{partnerId}",
    operationId: "updatePartner",
    tags: ["Program"],
    summary: "Update a partner",
    description:
      "A paused partner's clicks are not recorded, and their sales earn nothing. After a change of the email address, a " +
      "payout leaves the partner out for 7 days.",
    ...withJsonBody(programKeyRequired("manage", "manage")),
    request: {
      params: z.object({ partnerId: z.string().describe("Id of a partner of the program.") }),
      body: body(PartnerChanges),
    },
    responses: {
      ...returns("The updated partner", PartnerReply),
      ...refusals([
        ...(["missing_key", ...keyRefusals, ...bodyRefusals] as const),
        ...(["placeholder_id", "not_found", "external_id_taken", "too_many_memberships"] as const),
        ...commonRefusals,
      ]),
    },
  }),
  handler: async (c) => {
    const checked = await checkedKey(c, c.get("key"));
    if (!checked.ok) return refuse(c, checked.refusal);
    const partnerId = readId(c.req.valid("param").partnerId);
    if (partnerId === undefined) return refuse(c, noPartner);
    const { external_id: externalId, destination_url: destinationUrl, ...others } = c.req.valid("json");
    const { call, program } = changeByKey(c, c.get("key"));
    const changes = { ...others, externalId, destinationUrl };
    const placeholder = placeholderIn({ external_id: externalId });
    const updated = await updateIn(c, program, { ...call, kind: "update-partner", partnerId, changes, placeholder });
    return updated.ok ? reply(c, partnerOf(updated.value)) : refuse(c, updated.refusal);
  },
});
