import {
  apiKeyRecord,
  apiKeyReply,
  grantFields,
  newKeyRecord,
  noManageInTest,
  noSettleInTest,
  Rotation,
  rotatedKeyRecord,
} from "#api/api-keys.ts";
import { readFromDatabase } from "#api/read-database.ts";
import { readPage } from "#api/read-page.ts";
import { orderedScopes } from "#domain/program-key.ts";
import { notFound } from "#domain/result.ts";
import { runOperation } from "#http/call-ledger.ts";
import { body, created, createRoute, endpoint, refusals, refuse, returns, withJsonBody } from "#http/endpoint.ts";
import { idCursor, newest, PageMeta } from "#http/schema/cursor.ts";
import * as fields from "#http/schema/form-fields.ts";
import { id } from "#http/schema/integers.ts";
import { timestamp } from "#http/schema/timestamp.ts";
import * as z from "#http/schema/zod.ts";
import { randomSecret } from "#http/secret.ts";
import { findKey, listKeys } from "#store/views/programs.ts";
import { actingMember } from "./actor.ts";
import {
  inputRefusals,
  memberRefusals,
  memberWriteRefusals,
  programMember,
  reauthenticated,
  unlessRemoved,
} from "./guards.ts";
import { KeyPath, ProgramPath } from "./params.ts";

const size = 50;
const cursors = idCursor("api-keys");

export const listApiKeys = endpoint({
  route: createRoute({
    method: "get",
    path: "/programs/{programId}/api-keys",
    operationId: "listApiKeys",
    tags: ["Management"],
    summary: "List a program's API keys",
    description: "Lists keys without their secrets, including the most recently retired ones.",
    ...programMember("owner"),
    request: { params: ProgramPath, query: z.object({ cursor: cursors.parameter() }) },
    responses: {
      ...returns(
        `API keys, newest first, ${size} per page`,
        z.object({ data: z.array(apiKeyRecord.schema), meta: PageMeta }),
      ),
      ...refusals([...memberRefusals, "invalid_input"]),
    },
  }),
  handler: async (c) => {
    const { cursor: { id: before } = newest } = c.req.valid("query");
    const found = await readPage(c, "program", { ...cursors, size }, (database, limit) =>
      listKeys(database, c.get("program").id, { before, limit }),
    );
    if (!found.ok) return refuse(c, found.refusal);
    const { page, meta } = found.value;
    return c.json({ data: page.map(apiKeyReply), meta }, 200);
  },
});

const NewApiKey = z
  .object({ name: grantFields.name(), scopes: grantFields.scopes(), book: grantFields.book() })
  .refine(...noManageInTest)
  .refine(...noSettleInTest)
  .openapi("ApiKeyGrant");

export const createApiKey = endpoint({
  route: createRoute({
    method: "post",
    path: "/programs/{programId}/api-keys",
    operationId: "createApiKey",
    tags: ["Management"],
    summary: "Create an API key",
    description: "Create one key for each system, with no more scopes than it needs.",
    ...reauthenticated(withJsonBody(programMember("owner"))),
    request: { params: ProgramPath, body: body(NewApiKey) },
    responses: {
      ...created("API key created", z.object({ data: newKeyRecord.schema })),
      ...refusals(["reauthenticate", ...memberWriteRefusals, ...inputRefusals, "keys_full", "program_archived"]),
    },
  }),
  handler: async (c) => {
    const { name, scopes, book } = c.req.valid("json");
    const grant = { name, scopes: orderedScopes(scopes), book };
    const create = { ...actingMember(c), kind: "create-key", grant, secret: randomSecret() } as const;
    const made = await unlessRemoved(c, await runOperation(c, create));
    return made.ok ? c.json({ data: newKeyRecord.reply(made.value) }, 201) : refuse(c, made.refusal);
  },
});

const ApiKeyChanges = z
  .object({ name: fields.omittable(grantFields.name()), scopes: fields.omittable(grantFields.scopes()) })
  .openapi("ApiKeyChanges");

export const updateApiKey = endpoint({
  route: createRoute({
    method: "patch",
    path: "/programs/{programId}/api-keys/{keyId}",
    operationId: "updateApiKey",
    tags: ["Management"],
    summary: "Rename an API key or change its scopes",
    description: "Applies from the next call on. During a rotation, it applies to both the old and the new key.",
    ...reauthenticated(withJsonBody(programMember("owner")), "scopes"),
    request: { params: KeyPath, body: body(ApiKeyChanges) },
    responses: {
      ...returns("The updated API key", z.object({ data: apiKeyRecord.schema })),
      ...refusals(["reauthenticate", ...memberWriteRefusals, ...inputRefusals, "program_archived"]),
    },
  }),
  handler: async (c) => {
    const { keyId } = c.req.valid("param");
    const update = { ...actingMember(c), kind: "update-key", keyId, changes: c.req.valid("json") } as const;
    const updated = await runOperation(c, update);
    if (!updated.ok) return refuse(c, updated.refusal);
    const found = await readFromDatabase(c, "program", (database) => findKey(database, update.programId, keyId));
    if (!found.ok) return refuse(c, found.refusal);
    return found.value ? c.json({ data: apiKeyReply(found.value) }, 200) : refuse(c, notFound("key"));
  },
});

export const rotateApiKey = endpoint({
  route: createRoute({
    method: "post",
    path: "/programs/{programId}/api-keys/{keyId}/rotate",
    operationId: "rotateApiKey",
    tags: ["Management"],
    summary: "Rotate an API key",
    description:
      "Creates a new key with the same name, scopes and book. During the grace period, the old and the new key both work. If an earlier rotation is still in its grace period, its old key is retired at once.",
    ...reauthenticated(withJsonBody(programMember("owner"))),
    request: { params: KeyPath, body: body(Rotation) },
    responses: {
      ...created("API key created", z.object({ data: rotatedKeyRecord.schema })),
      ...refusals(["reauthenticate", ...memberWriteRefusals, ...inputRefusals, "keys_full", "program_archived"]),
    },
  }),
  handler: async (c) => {
    const { keyId } = c.req.valid("param");
    const { graceHours } = c.req.valid("json");
    const rotate = { ...actingMember(c), kind: "rotate-key", keyId, graceHours, secret: randomSecret() } as const;
    const rotated = await unlessRemoved(c, await runOperation(c, rotate));
    return rotated.ok ? c.json({ data: rotatedKeyRecord.reply(rotated.value) }, 201) : refuse(c, rotated.refusal);
  },
});

const Rotated = z
  .object({
    apiToken: z.string().describe("The new API key, shown only in this response."),
    apiTokenMasked: z.string(),
    previousRetiresAt: z.iso.datetime(),
  })
  .openapi("Rotated");

export const rotateApiToken = endpoint({
  route: createRoute({
    method: "post",
    path: "/programs/{programId}/api-token/rotate",
    operationId: "rotateApiToken",
    tags: ["Management"],
    summary: "Rotate the program's first API key",
    description:
      "Creates a new key that replaces the one that the program was created with. During the grace period, the old and the new key both work. If an earlier rotation is still in its grace period, its old key is retired at once.",
    ...reauthenticated(withJsonBody(programMember("owner"))),
    request: { params: ProgramPath, body: body(Rotation) },
    responses: {
      ...returns("API key created", z.object({ data: Rotated })),
      ...refusals(["reauthenticate", ...memberWriteRefusals, ...inputRefusals, "keys_full", "program_archived"]),
    },
  }),
  handler: async (c) => {
    const { graceHours } = c.req.valid("json");
    const rotate = { ...actingMember(c), kind: "rotate-key", keyId: null, graceHours, secret: randomSecret() } as const;
    const rotated = await unlessRemoved(c, await runOperation(c, rotate));
    if (!rotated.ok) return refuse(c, rotated.refusal);
    const { apiToken, apiTokenMasked, previousRetiresAt } = rotated.value;
    return c.json({ data: { apiToken, apiTokenMasked, previousRetiresAt: timestamp(previousRetiresAt) } }, 200);
  },
});

export const retireApiKey = endpoint({
  route: createRoute({
    method: "delete",
    path: "/programs/{programId}/api-keys/{keyId}",
    operationId: "retireApiKey",
    tags: ["Management"],
    summary: "Retire an API key",
    description: "Ends the key at once. Calls that use it are refused from now on.",
    ...programMember("owner"),
    request: { params: KeyPath },
    responses: {
      ...returns("API key retired", z.object({ data: z.object({ id: id(), retired: z.literal(true) }) })),
      ...refusals(memberWriteRefusals),
    },
  }),
  handler: async (c) => {
    const { keyId } = c.req.valid("param");
    const retire = { ...actingMember(c), kind: "retire-key", keyId } as const;
    const retired = await runOperation(c, retire);
    return retired.ok ? c.json({ data: { id: keyId, retired: true } as const }, 200) : refuse(c, retired.refusal);
  },
});
