import { callWithDirectory } from "#api/directory.ts";
import { linkRecord, linkReplies, newPartnerCode } from "#api/partners.ts";
import { readFromDatabase } from "#api/read-database.ts";
import { activeStatuses } from "#domain/program-status.ts";
import { notFound } from "#domain/result.ts";
import { runOperation } from "#http/call-ledger.ts";
import { body, created, createRoute, endpoint, refusals, refuse, returns, withJsonBody } from "#http/endpoint.ts";
import * as fields from "#http/schema/form-fields.ts";
import * as z from "#http/schema/zod.ts";
import { findPartnerWithLinks } from "#store/views/partners.ts";
import { actingMember } from "./actor.ts";
import { inputRefusals, memberWriteRefusals, programMember } from "./guards.ts";
import { LinkPath, PartnerPath } from "./params.ts";

const NewCode = z.object({ code: newPartnerCode() }).openapi("NewPartnerCode");

export const createLink = endpoint({
  route: createRoute({
    method: "post",
    path: "/programs/{programId}/partners/{partnerId}/links",
    operationId: "createPartnerLink",
    tags: ["Management"],
    summary: "Create another code for a partner",
    description: "The code's link leads to the same page as the partner's other links. A partner can have 20 codes.",
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
    const { partnerId } = c.req.valid("param");
    const { code } = c.req.valid("json");
    const codeKey = code.toLowerCase();
    const create = { ...actingMember(c), kind: "create-link", partnerId, code, madeBy: "owner" } as const;
    const read = () =>
      readFromDatabase(c, "program", (database) => findPartnerWithLinks(database, create.programId, partnerId));
    const before = await read();
    if (!before.ok) return refuse(c, before.refusal);
    const { partner } = before.value;
    if (partner === undefined) return refuse(c, notFound("partner"));
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

const CodeChanges = z.object({ status: fields.oneOf("status", activeStatuses) }).openapi("PartnerCodeChanges");

export const updateLink = endpoint({
  route: createRoute({
    method: "patch",
    path: "/programs/{programId}/links/{code}",
    operationId: "updatePartnerLink",
    tags: ["Management"],
    summary: "Pause or resume a code",
    description: "Clicks on a paused code's link are not recorded. Earlier attributions stay.",
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
