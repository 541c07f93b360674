import { readFromDatabase } from "#api/read-database.ts";
import { activeStatuses } from "#domain/program-status.ts";
import { runOperation } from "#http/call-ledger.ts";
import { body, createRoute, endpoint, returns, refusals, refuse, withJsonBody } from "#http/endpoint.ts";
import * as fields from "#http/schema/form-fields.ts";
import * as z from "#http/schema/zod.ts";
import { findPartnerWithLinks } from "#store/views/partners.ts";
import { actingMember } from "../actor.ts";
import { inputRefusals, memberWriteRefusals, programMember } from "../guards.ts";
import { LinkPath } from "../params.ts";
import { linkRecord, linkReplies } from "./link-record.ts";

const CodeChanges = z.object({ status: fields.oneOf("status", activeStatuses) }).openapi("PartnerCodeChanges");

export const updateLink = endpoint({
  route: createRoute({
    method: "patch",
    path: "/programs/{programId}/links/{code}",
    operationId: "updatePartnerLink",
    tags: ["Management"],
    summary: "Pause or resume a code",
    description: "Clicks on a paused code's link are not recorded. What was attributed by it stays.",
    ...withJsonBody(programMember("admin")),
    request: { params: LinkPath, body: body(CodeChanges) },
    responses: {
      ...returns("The updated code", z.object({ data: linkRecord.schema })),
      ...refusals([...memberWriteRefusals, ...inputRefusals]),
    },
  }),
  handler: async (c) => {
    const { code } = c.req.valid("param");
    const { status } = c.req.valid("json");
    const update = { ...actingMember(c), kind: "update-link", code, status } as const;
    const updated = await runOperation(c, update);
    if (!updated.ok) return refuse(c, updated.refusal);
    const { partnerId } = updated.answer;
    const found = await readFromDatabase(c, "program", (database) =>
      findPartnerWithLinks(database, update.programId, partnerId),
    );
    if (!found.ok) return refuse(c, found.refusal);
    const { partner, links } = found.value;
    const link = partner && linkReplies(links, partner).find((each) => each.code.toLowerCase() === code.toLowerCase());
    return link === undefined ? refuse(c, { code: "internal" }) : c.json({ data: link }, 200);
  },
});
