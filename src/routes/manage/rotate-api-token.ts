import { createRoute } from "@hono/zod-openapi";
import { callLedger } from "../../http/call-ledger.ts";
import { body, ok } from "../../http/described.ts";
import { endpoint } from "../../http/endpoint.ts";
import { refuseFaults } from "../../http/faults.ts";
import * as fields from "../../http/fields.ts";
import { instant } from "../../http/instant.ts";
import { randomSecret } from "../../http/random.ts";
import { refusals } from "../../http/refusals.ts";
import { refuse } from "../../http/refuse.ts";
import { ofInput, ofMembers, ofSession, ofWrite } from "../../http/session-refusals.ts";
import * as wire from "../../http/wire.ts";
import * as z from "../../http/zod.ts";
import { programMemberAndBody } from "../session-access.ts";
import { byMember } from "./by-member.ts";
import { ProgramPath } from "./path.ts";

const maxGraceHours = 30 * 24;

const Rotation = z
  .object({
    graceHours: wire
      .optional(fields.whole("graceHours", 0, maxGraceHours))
      .describe("Hours for which the previous key keeps working. Defaults to 24; 0 retires it at once."),
  })
  .openapi("Rotation");

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
    summary: "Rotate the API key",
    description:
      "Creates a new key. At most two keys work at a time: a key that was already being replaced is retired at once.",
    ...programMemberAndBody("owner"),
    request: { params: ProgramPath, body: body(Rotation) },
    responses: {
      ...ok("API key created", z.object({ data: Rotated })),
      ...refusals(undefined, [...ofWrite, ...ofMembers, ...ofInput, "program_archived", ...ofSession]),
    },
  }),
  hook: refuseFaults(Rotation),
  handler: async (c) => {
    const { graceHours } = c.req.valid("json");
    const rotate = { ...byMember(c), kind: "rotate-key", graceHours, secret: randomSecret() } as const;
    const rotated = await callLedger(c, rotate, (ledger) => ledger.change("rotate-key", rotate));
    if (!rotated.ok) return refuse(c, rotated.refusal);
    const { apiToken, apiTokenMasked, previousRetiresAt } = rotated.answer;
    return c.json({ data: { apiToken, apiTokenMasked, previousRetiresAt: instant(previousRetiresAt) } }, 200);
  },
});
