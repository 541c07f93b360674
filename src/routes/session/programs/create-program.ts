import { createRoute } from "@hono/zod-openapi";
import { callLedger } from "../../../http/call-ledger.ts";
import { body, created } from "../../../http/content.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { refuse } from "../../../http/refusal/refuse.ts";
import { refusals } from "../../../http/refusal/responses.ts";
import { inputRefusals, memberRefusals, sessionRefusals, writeRefusals } from "../../../http/refusal/session-codes.ts";
import { refuseInvalid } from "../../../http/refusal/validation.ts";
import * as wire from "../../../http/schema/fields.ts";
import * as fields from "../../../http/schema/form-fields.ts";
import * as z from "../../../http/schema/zod.ts";
import { randomSecret } from "../../../http/secret.ts";
import { memberOfWorkspaceInBody } from "../guards.ts";
import { ProgramReply, programReply, timezone, websiteUrl } from "./program-reply.ts";

const NewProgram = z
  .object({
    workspaceId: fields.filled("workspaceId"),
    name: fields.filled("name"),
    websiteUrl: wire.optional(websiteUrl()).describe("Destination of partner links that have none of their own."),
    currency: wire.optional(wire.currency("currency")).describe("ISO 4217 code. Defaults to USD."),
    timezone: wire.optional(timezone()).describe("Time zone of the days in reports. Defaults to UTC."),
  })
  .openapi("NewProgram");

const ProgramMade = ProgramReply.extend({
  apiToken: z
    .string()
    .optional()
    .describe("The API key, shown only in this response and only to owners. An owner can rotate it later."),
}).openapi("ProgramMade");

export const createProgram = endpoint({
  route: createRoute({
    method: "post",
    path: "/programs",
    operationId: "createProgram",
    tags: ["Management"],
    summary: "Create a program",
    ...memberOfWorkspaceInBody("admin", NewProgram),
    request: { body: body(NewProgram) },
    responses: {
      ...created("Program created", z.object({ data: ProgramMade })),
      ...refusals(undefined, [
        ...writeRefusals,
        ...memberRefusals,
        ...inputRefusals,
        "cap_reached",
        ...sessionRefusals,
      ]),
    },
  }),
  hook: refuseInvalid(NewProgram),
  handler: async (c) => {
    const { name, websiteUrl = null, currency = "USD", timezone = "UTC" } = c.req.valid("json");
    const call = c.get("call");
    const userId = c.get("userId");
    const workspace = c.get("workspace");
    const membership = c.get("membership");
    const program = { workspaceId: workspace.id, name, websiteUrl, currency, timezone };
    const create = { ...call, kind: "create-program", actorId: userId, secret: randomSecret(), program } as const;
    const made = await callLedger(c, { newIn: workspace.id }, (ledger) => ledger.change("create-program", create));
    if (!made.ok) return refuse(c, made.refusal);
    const key = membership.role === "owner" ? { apiToken: made.answer.apiToken } : {};
    return c.json({ data: { ...programReply(made.answer.program), ...key } }, 201);
  },
});
