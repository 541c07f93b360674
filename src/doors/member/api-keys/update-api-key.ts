import { readFromDatabase } from "#api/read-database.ts";
import { runOperation } from "#http/call-ledger.ts";
import { body, createRoute, endpoint, returns, refusals, refuse, withJsonBody } from "#http/endpoint.ts";
import * as fields from "#http/schema/form-fields.ts";
import { readId } from "#http/schema/id.ts";
import * as z from "#http/schema/zod.ts";
import { findKey } from "#store/views/programs.ts";
import { actingMember } from "../actor.ts";
import { inputRefusals, memberWriteRefusals, programMember, reauthenticated } from "../guards.ts";
import { KeyPath } from "../params.ts";
import { apiKeyRecord, apiKeyReply, grantFields } from "./key-record.ts";

const ApiKeyChanges = z
  .object({ name: fields.omittable(grantFields.name()), scopes: fields.omittable(grantFields.scopes()) })
  .openapi("ApiKeyChanges");

const noKey = { code: "not_found", what: "key" } as const;

export const updateApiKey = endpoint({
  route: createRoute({
    method: "patch",
    path: "/programs/{programId}/api-keys/{keyId}",
    operationId: "updateApiKey",
    tags: ["Management"],
    summary: "Rename an API key or change its scopes",
    description: "Holds from the next call on, also for a key that it is replacing or that replaces it.",
    ...reauthenticated(withJsonBody(programMember("owner")), "scopes"),
    request: { params: KeyPath, body: body(ApiKeyChanges) },
    responses: {
      ...returns("The updated API key", z.object({ data: apiKeyRecord.schema })),
      ...refusals(["reauthenticate", ...memberWriteRefusals, ...inputRefusals, "program_archived"]),
    },
  }),
  handler: async (c) => {
    const keyId = readId(c.req.valid("param").keyId);
    if (keyId === undefined) return refuse(c, noKey);
    const update = { ...actingMember(c), kind: "update-key", keyId, changes: c.req.valid("json") } as const;
    const updated = await runOperation(c, update);
    if (!updated.ok) return refuse(c, updated.refusal);
    const found = await readFromDatabase(c, "program", (database) => findKey(database, update.programId, keyId));
    if (!found.ok) return refuse(c, found.refusal);
    return found.value ? c.json({ data: apiKeyReply(found.value) }, 200) : refuse(c, noKey);
  },
});
