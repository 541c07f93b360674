import { createRoute, endpoint, ok, refusals, refuse } from "../../../http/endpoint.ts";
import { readId } from "../../../http/schema/id.ts";
import * as z from "../../../http/schema/zod.ts";
import { findPartner } from "../../../store/views/partners.ts";
import { readFromDatabase } from "../../read-database.ts";
import { memberRefusals, programMember } from "../guards.ts";
import { PartnerPath } from "../params.ts";
import { PartnerReply, partnerReply } from "./partner-reply.ts";

const noPartner = { code: "not_found", what: "partner" } as const;

export const getPartner = endpoint({
  route: createRoute({
    method: "get",
    path: "/programs/{programId}/partners/{partnerId}",
    operationId: "getPartner",
    tags: ["Management"],
    summary: "Get a partner",
    ...programMember("viewer"),
    request: { params: PartnerPath },
    responses: {
      ...ok("The partner", z.object({ data: PartnerReply })),
      ...refusals(memberRefusals),
    },
  }),
  handler: async (c) => {
    const id = readId(c.req.valid("param").partnerId);
    if (id === undefined) return refuse(c, noPartner);
    const found = await readFromDatabase(c, (database) => findPartner(database, c.get("program").id, id));
    if (!found.ok) return refuse(c, found.refusal);
    return found.value ? c.json({ data: partnerReply(found.value) }, 200) : refuse(c, noPartner);
  },
});
