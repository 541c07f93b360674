import {
  createPartner as createIn,
  newPartner,
  partnerChanges,
  partnerRecord,
  partnerReply,
  placeholderOf,
  updatePartner as updateIn,
} from "#api/partners.ts";
import { readPage } from "#api/read-page.ts";
import { snakeCase } from "#domain/snake-case.ts";
import { checkKey } from "#http/check-key.ts";
import { body, created, createRoute, endpoint, refuse, returns, withJsonBody } from "#http/endpoint.ts";
import { withWarnings } from "#http/key-rotation.ts";
import { reply, warnings } from "#http/reply.ts";
import { inCamelCase, inSnakeCase, snakeInput, snakeSchema } from "#http/schema/camel-keys.ts";
import { idCursor, newest } from "#http/schema/cursor.ts";
import * as fields from "#http/schema/form-fields.ts";
import { pathId } from "#http/schema/id.ts";
import * as z from "#http/schema/zod.ts";
import { findPartnerByExternalId, listPartners as list, type PartnerView } from "#store/views/partners.ts";
import { changeBy, changeRefusals, readRefusals } from "./by-key.ts";
import { programKeyRequired } from "./guards.ts";
import { listOf, listReply, pageSize } from "./list.ts";

export const Partner = partnerRecord.schema.extend({
  email: partnerRecord.schema.shape.email.describe(
    "Email address of the partner. Returned only to keys with the scope `manage`.",
  ),
});

const PartnerReply = z.object({ data: snakeSchema(Partner).openapi("Partner"), ...warnings });

const partnerOf = (partner: PartnerView) => ({ data: inSnakeCase(partnerReply(partner, true)) });

const cursors = idCursor("partners");

const everyPartner = { text: "", inEmail: false };

const Query = z.object({
  external_id: fields.callerId("external_id").optional().describe("Lists only the partner with this external id."),
  cursor: cursors.parameter("next_cursor"),
});

export const listPartners = endpoint({
  route: createRoute({
    method: "get",
    path: "/me/partners",
    operationId: "listPartners",
    tags: ["Program"],
    summary: "List partners",
    description: "Includes paused partners.",
    ...programKeyRequired("keyedList", "read", "manage"),
    request: { query: Query },
    responses: {
      ...returns(`Partners, newest first, ${pageSize} per page`, listOf("Partner", Partner)),
      ...readRefusals("invalid_input"),
    },
  }),
  handler: async (c) => {
    const checked = await checkKey(c, c.get("key"));
    if (!checked.ok) return refuse(c, checked.refusal);
    const { programId, scopes } = checked.value;
    const { external_id: externalId, cursor: { id: before } = newest } = c.req.valid("query");
    const read = await readPage(c, "program", { ...cursors, size: pageSize }, async (database, limit) => {
      if (externalId === undefined) return list(database, programId, everyPartner, { before, limit });
      const found = await findPartnerByExternalId(database, programId, externalId);
      return found !== undefined && found.id < before ? [found] : [];
    });
    if (!read.ok) return refuse(c, read.refusal);
    const { page, meta } = read.value;
    const showsEmail = scopes.includes("manage");
    return reply(
      c,
      listReply(
        page.map((partner) => partnerReply(partner, showsEmail)),
        meta,
      ),
    );
  },
});

const { name, code, destinationUrl, ...others } = newPartner(snakeCase).shape;
const NewPartner = snakeInput(
  z.object({
    name,
    code,
    ...others,
    destinationUrl: destinationUrl.describe(
      "Page that the partner's link leads to. Defaults to the program's website.",
    ),
  }),
).openapi("NewPartner");

export const createPartner = endpoint({
  route: createRoute({
    method: "post",
    path: "/me/partners",
    operationId: "createPartner",
    tags: ["Program"],
    summary: "Create a partner",
    description:
      "If you send an `external_id`, repeating the call returns the partner that the first call created, with 200. A repeat with other values is refused with 409 `differs`.",
    ...withJsonBody(programKeyRequired("manage", "manage")),
    request: { body: body(NewPartner) },
    responses: {
      ...created("Partner created", PartnerReply),
      ...returns("Partner with this external id, created before", PartnerReply),
      ...changeRefusals("placeholder_id", "differs", "code_taken", "cap_reached"),
    },
  }),
  handler: async (c) => {
    const sent = inCamelCase(c.req.valid("json"));
    const create = { kind: "create-partner", ...sent, placeholder: placeholderOf(snakeCase, sent) } as const;
    const outcome = await changeBy(c, (by, program) => createIn(c, program, { ...by, ...create }));
    if (!outcome.ok) return refuse(c, outcome.refusal);
    return c.json(withWarnings(c, partnerOf(outcome.value.partner)), outcome.value.isNew ? 201 : 200);
  },
});

const PartnerChanges = snakeInput(partnerChanges(snakeCase)).openapi("PartnerChanges");

export const updatePartner = endpoint({
  route: createRoute({
    method: "patch",
    path: "/me/partners/{partnerId}",
    operationId: "updatePartner",
    tags: ["Program"],
    summary: "Update a partner",
    description:
      "A paused partner's clicks are not recorded, and their sales earn nothing. After a change of the email address, a " +
      "payout leaves the partner out for at least 7 days.",
    ...withJsonBody(programKeyRequired("manage", "manage")),
    request: {
      params: z.object({ partnerId: pathId("partner", "Id of a partner of the program.") }),
      body: body(PartnerChanges),
    },
    responses: {
      ...returns("The updated partner", PartnerReply),
      ...changeRefusals("placeholder_id", "not_found", "external_id_taken", "too_many_memberships", "email_unverified"),
    },
  }),
  handler: async (c) => {
    const { partnerId } = c.req.valid("param");
    const changes = inCamelCase(c.req.valid("json"));
    const placeholder = placeholderOf(snakeCase, { externalId: changes.externalId });
    const update = { kind: "update-partner", partnerId, changes, placeholder } as const;
    const updated = await changeBy(c, (by, program) => updateIn(c, program, { ...by, ...update }));
    return updated.ok ? reply(c, partnerOf(updated.value)) : refuse(c, updated.refusal);
  },
});
