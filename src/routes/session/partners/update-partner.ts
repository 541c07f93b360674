import { activeStatuses } from "#domain/program-status.ts";
import { ok as done, type Result, refused } from "#domain/result.ts";
import { home } from "#domain/shard.ts";
import { body, createRoute, endpoint, ok, refusals, refuse, withJsonBody } from "#http/endpoint.ts";
import * as fields from "#http/schema/form-fields.ts";
import { readId } from "#http/schema/id.ts";
import * as z from "#http/schema/zod.ts";
import type { UpdatePartnerCall } from "#operations/manage/update-partner.ts";
import { findPartner } from "#store/views/partners.ts";
import { readFromDatabase } from "../../read-database.ts";
import { actingMember } from "../actor.ts";
import { callWithDirectory } from "../directory.ts";
import { inputRefusals, memberWriteRefusals, programMember, reauthenticated } from "../guards.ts";
import { PartnerPath } from "../params.ts";
import { partnerRecord, partnerReply } from "./partner-record.ts";

const PartnerChanges = z
  .object({
    status: fields.omittable(fields.oneOf("status", activeStatuses)),
    name: fields.omittable(fields.nonBlank("name")),
    email: fields.emailOrEmpty("email").nullish().describe("Null or empty removes it."),
    destinationUrl: fields
      .webUrl("destinationUrl")
      .transform((url) => url || null)
      .nullish()
      .describe("Null or empty: the link leads to the program's website."),
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
      ...ok("The updated partner", z.object({ data: partnerRecord.schema })),
      ...refusals(["reauthenticate", ...memberWriteRefusals, ...inputRefusals]),
    },
  }),
  handler: async (c) => {
    const partnerId = readId(c.req.valid("param").partnerId);
    if (partnerId === undefined) return refuse(c, noPartner);
    const changes = c.req.valid("json");
    const update = { ...actingMember(c), kind: "update-partner", partnerId, changes } as const;
    const adds = await newDestination(c, update);
    if (!adds.ok) return refuse(c, adds.refusal);
    const updated = await callWithDirectory(c, update, { adds: adds.value });
    if (!updated.ok) return refuse(c, updated.refusal);
    const found = await readFromDatabase(c, "program", (database) =>
      findPartner(database, update.programId, partnerId),
    );
    if (!found.ok) return refuse(c, found.refusal);
    return found.value ? c.json({ data: partnerReply(found.value, true) }, 200) : refuse(c, noPartner);
  },
});

async function newDestination(
  c: Parameters<typeof callWithDirectory>[0],
  { programId, partnerId, changes: { destinationUrl } }: UpdatePartnerCall,
): Promise<Result<Parameters<typeof callWithDirectory>[2]["adds"]>> {
  if (destinationUrl === undefined || c.var.program.shard === home) return done(undefined);
  const found = await readFromDatabase(c, "program", (database) => findPartner(database, programId, partnerId));
  if (!found.ok) return found;
  if (found.value === undefined) return refused(noPartner);
  const codeKey = found.value.code.toLowerCase();
  return done({ changes: {}, code: { codeKey, destinationUrl, is: "known" } });
}
