import { commonRefusals, createRoute, endpoint, keyRefusals, returns, refusals, refuse } from "#http/endpoint.ts";
import { reply } from "#http/reply.ts";
import { idCursor, newest } from "#http/schema/cursor.ts";
import * as fields from "#http/schema/form-fields.ts";
import * as z from "#http/schema/zod.ts";
import { findPartnerByExternalId, listPartners as list } from "#store/views/partners.ts";
import { partnerReply } from "../../member/partners/partner-record.ts";
import { readPage } from "#api/read-page.ts";
import { checkedKey } from "../checked-key.ts";
import { programKeyRequired } from "../guards.ts";
import { listOf, listReply, pageSize } from "../list.ts";
import { Partner } from "./partner.ts";

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
      ...refusals(["missing_key", ...keyRefusals, "invalid_input", ...commonRefusals]),
    },
  }),
  handler: async (c) => {
    const checked = await checkedKey(c, c.get("key"));
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
