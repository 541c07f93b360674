import { runOperation } from "#http/call-ledger.ts";
import { createRoute, endpoint, returns, refusals, refuse } from "#http/endpoint.ts";
import { readId } from "#http/schema/id.ts";
import { id } from "#http/schema/integers.ts";
import * as z from "#http/schema/zod.ts";
import { actingMember } from "../actor.ts";
import { memberWriteRefusals, programMember } from "../guards.ts";
import { KeyPath } from "../params.ts";

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
    const keyId = readId(c.req.valid("param").keyId);
    if (keyId === undefined) return refuse(c, { code: "not_found", what: "key" });
    const retire = { ...actingMember(c), kind: "retire-key", keyId } as const;
    const retired = await runOperation(c, retire);
    return retired.ok ? c.json({ data: { id: keyId, retired: true } as const }, 200) : refuse(c, retired.refusal);
  },
});
