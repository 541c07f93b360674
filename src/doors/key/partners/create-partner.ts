import { createPartner as createIn } from "#api/change-partner.ts";
import { placeholderIn } from "#domain/caller-id.ts";
import {
  body,
  bodyRefusals,
  commonRefusals,
  created,
  createRoute,
  endpoint,
  keyRefusals,
  returns,
  refusals,
  refuse,
  withJsonBody,
} from "#http/endpoint.ts";
import { withWarnings } from "#http/key-rotation.ts";
import * as fields from "#http/schema/form-fields.ts";
import * as z from "#http/schema/zod.ts";
import { externalIdText, partnerCode } from "../../member/partners/partner-record.ts";
import { changeByKey } from "../change-by-key.ts";
import { checkedKey } from "../checked-key.ts";
import { programKeyRequired } from "../guards.ts";
import { PartnerReply, partnerOf } from "./partner.ts";

const NewPartner = z
  .object({
    name: fields.nonBlank("name"),
    code: partnerCode(),
    email: fields.optional(fields.email("email")),
    external_id: fields.optional(fields.callerId("external_id")).describe(externalIdText),
    destination_url: fields
      .optionalText(fields.webUrl("destination_url"))
      .describe("Page that the partner's link leads to. Defaults to the program's website."),
  })
  .openapi("NewPartner");

export const createPartner = endpoint({
  route: createRoute({
    method: "post",
    path: "/me/partners",
    operationId: "createPartner",
    tags: ["Program"],
    summary: "Create a partner",
    description:
      "Send `external_id`: then the same call again returns the partner that the first one created, with 200. With other " +
      "values it is refused with 409 `differs`.",
    ...withJsonBody(programKeyRequired("manage", "manage")),
    request: { body: body(NewPartner) },
    responses: {
      ...created("Partner created", PartnerReply),
      ...returns("Partner with this external id, created before", PartnerReply),
      ...refusals([
        ...(["missing_key", ...keyRefusals, ...bodyRefusals] as const),
        ...(["placeholder_id", "differs", "code_taken", "cap_reached"] as const),
        ...commonRefusals,
      ]),
    },
  }),
  handler: async (c) => {
    const checked = await checkedKey(c, c.get("key"));
    if (!checked.ok) return refuse(c, checked.refusal);
    const { external_id: externalId, destination_url: destinationUrl, ...partner } = c.req.valid("json");
    const { call, program } = changeByKey(c, c.get("key"));
    const placeholder = placeholderIn({ code: partner.code, external_id: externalId });
    const create = { ...call, kind: "create-partner", ...partner, externalId, destinationUrl, placeholder } as const;
    const outcome = await createIn(c, program, create);
    if (!outcome.ok) return refuse(c, outcome.refusal);
    return c.json(withWarnings(c, partnerOf(outcome.value.partner)), outcome.value.isNew ? 201 : 200);
  },
});
