import { orderedScopes } from "#domain/program-key.ts";
import { runOperation } from "#http/call-ledger.ts";
import { body, created, createRoute, endpoint, refusals, refuse, withJsonBody } from "#http/endpoint.ts";
import * as z from "#http/schema/zod.ts";
import { randomSecret } from "#http/secret.ts";
import { actingMember } from "../actor.ts";
import { inputRefusals, memberWriteRefusals, programMember, reauthenticated } from "../guards.ts";
import { ProgramPath } from "../params.ts";
import { grantFields, grantRule, newKeyRecord } from "./key-record.ts";

const NewApiKey = z
  .object({ name: grantFields.name(), scopes: grantFields.scopes(), book: grantFields.book() })
  .refine(...grantRule)
  .openapi("ApiKeyGrant");

export const createApiKey = endpoint({
  route: createRoute({
    method: "post",
    path: "/programs/{programId}/api-keys",
    operationId: "createApiKey",
    tags: ["Management"],
    summary: "Create an API key",
    description: "Give each system a key of its own, with no more scopes than it needs.",
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
    const outcome = await runOperation(c, create);
    return outcome.ok ? c.json({ data: newKeyRecord.reply(outcome.answer) }, 201) : refuse(c, outcome.refusal);
  },
});
