import { runOperation } from "#http/call-ledger.ts";
import { body, createRoute, endpoint, returns, refusals, refuse, withJsonBody } from "#http/endpoint.ts";
import { timestamp } from "#http/schema/timestamp.ts";
import * as z from "#http/schema/zod.ts";
import { randomSecret } from "#http/secret.ts";
import { actingMember } from "../actor.ts";
import { inputRefusals, memberWriteRefusals, programMember, reauthenticated } from "../guards.ts";
import { ProgramPath } from "../params.ts";
import { Rotation } from "./key-record.ts";

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
      "Of the key that the program was created with. Creates a new one. At most two of them work at a time: one that was already being replaced is retired at once.",
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
    const rotated = await runOperation(c, rotate);
    if (!rotated.ok) return refuse(c, rotated.refusal);
    const { apiToken, apiTokenMasked, previousRetiresAt } = rotated.answer;
    return c.json({ data: { apiToken, apiTokenMasked, previousRetiresAt: timestamp(previousRetiresAt) } }, 200);
  },
});
