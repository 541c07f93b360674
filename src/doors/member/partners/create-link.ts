import { callWithDirectory } from "#api/directory.ts";
import { readFromDatabase } from "#api/read-database.ts";
import { body, created, createRoute, endpoint, refusals, refuse, withJsonBody } from "#http/endpoint.ts";
import { readId } from "#http/schema/id.ts";
import * as z from "#http/schema/zod.ts";
import { findPartnerWithLinks } from "#store/views/partners.ts";
import { actingMember } from "../actor.ts";
import { inputRefusals, memberWriteRefusals, programMember } from "../guards.ts";
import { PartnerPath } from "../params.ts";
import { linkRecord, linkReplies } from "./link-record.ts";
import { newPartnerCode } from "./partner-record.ts";

const NewCode = z.object({ code: newPartnerCode() }).openapi("NewPartnerCode");

const noPartner = { code: "not_found", what: "partner" } as const;

export const createLink = endpoint({
  route: createRoute({
    method: "post",
    path: "/programs/{programId}/partners/{partnerId}/links",
    operationId: "createPartnerLink",
    tags: ["Management"],
    summary: "Give a partner a further code",
    description: "Its link leads to the same page as the partner's other ones. A partner has at most 20 codes.",
    ...withJsonBody(programMember("admin")),
    request: { params: PartnerPath, body: body(NewCode) },
    responses: {
      ...created("Code created", z.object({ data: linkRecord.schema })),
      ...refusals([
        ...memberWriteRefusals,
        ...inputRefusals,
        "code_taken",
        "links_full",
        "partner_erased",
        "program_archived",
      ]),
    },
  }),
  handler: async (c) => {
    const partnerId = readId(c.req.valid("param").partnerId);
    if (partnerId === undefined) return refuse(c, noPartner);
    const { code } = c.req.valid("json");
    const codeKey = code.toLowerCase();
    const create = { ...actingMember(c), kind: "create-link", partnerId, code, madeBy: "owner" } as const;
    const read = () =>
      readFromDatabase(c, "program", (database) => findPartnerWithLinks(database, create.programId, partnerId));
    const before = await read();
    if (!before.ok) return refuse(c, before.refusal);
    const { partner } = before.value;
    if (partner === undefined) return refuse(c, noPartner);
    const { destinationUrl } = partner;
    const outcome = await callWithDirectory(c, c.get("program"), create, {
      adds: { changes: {}, codes: [{ codeKey, destinationUrl, is: "new" }] },
    });
    if (!outcome.ok) return refuse(c, outcome.refusal);
    const after = await read();
    if (!after.ok) return refuse(c, after.refusal);
    const made = linkReplies(after.value.links, partner).find((link) => link.code === code);
    return made === undefined ? refuse(c, { code: "internal" }) : c.json({ data: made }, 201);
  },
});
