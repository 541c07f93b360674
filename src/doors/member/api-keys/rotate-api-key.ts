import { runOperation } from "#http/call-ledger.ts";
import { body, created, createRoute, endpoint, refusals, refuse, withJsonBody } from "#http/endpoint.ts";
import { readId } from "#http/schema/id.ts";
import * as z from "#http/schema/zod.ts";
import { randomSecret } from "#http/secret.ts";
import { actingMember } from "../actor.ts";
import { inputRefusals, memberWriteRefusals, programMember, reauthenticated } from "../guards.ts";
import { KeyPath } from "../params.ts";
import { Rotation, rotatedKeyRecord } from "./key-record.ts";

export const rotateApiKey = endpoint({
  route: createRoute({
    method: "post",
    path: "/programs/{programId}/api-keys/{keyId}/rotate",
    operationId: "rotateApiKey",
    tags: ["Management"],
    summary: "Rotate an API key",
    description:
      "Creates a new key with the same name, scopes and book. At most two of them work at a time: one that was already " +
      "being replaced is retired at once.",
    ...reauthenticated(withJsonBody(programMember("owner"))),
    request: { params: KeyPath, body: body(Rotation) },
    responses: {
      ...created("API key created", z.object({ data: rotatedKeyRecord.schema })),
      ...refusals(["reauthenticate", ...memberWriteRefusals, ...inputRefusals, "keys_full", "program_archived"]),
    },
  }),
  handler: async (c) => {
    const keyId = readId(c.req.valid("param").keyId);
    if (keyId === undefined) return refuse(c, { code: "not_found", what: "key" });
    const { graceHours } = c.req.valid("json");
    const rotate = { ...actingMember(c), kind: "rotate-key", keyId, graceHours, secret: randomSecret() } as const;
    const rotated = await runOperation(c, rotate);
    return rotated.ok ? c.json({ data: rotatedKeyRecord.reply(rotated.answer) }, 201) : refuse(c, rotated.refusal);
  },
});
