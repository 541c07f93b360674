import { home } from "#domain/shard.ts";
import { shardsOf } from "#env.ts";
import { callLedger } from "#http/call-ledger.ts";
import type { Ctx } from "#http/context.ts";
import { body, created, createRoute, endpoint, refusals, refuse } from "#http/endpoint.ts";
import * as fields from "#http/schema/form-fields.ts";
import * as z from "#http/schema/zod.ts";
import { randomSecret } from "#http/secret.ts";
import type { PlaceProgramCall } from "#operations/places/place-program.ts";
import { inputRefusals, memberOfWorkspaceInBody, memberWriteRefusals, reauthenticated } from "../guards.ts";
import { programRecord, programReply, timezone, websiteUrl } from "./program-record.ts";

const NewProgram = z
  .object({
    workspaceId: fields.nonBlank("workspaceId"),
    name: fields.nonBlank("name"),
    websiteUrl: fields.optional(websiteUrl()).describe("Destination of partner links that have none of their own."),
    currency: fields.optional(fields.currency("currency")).describe("ISO 4217 code. Defaults to USD."),
    timezone: fields.optional(timezone()).describe("Time zone of the days in reports. Defaults to UTC."),
    location: fields
      .omittable(fields.nonBlank("location"))
      .describe("Where the program's data is stored: one of the locations that `listLocations` returns."),
  })
  .openapi("NewProgram");

const ProgramMade = programRecord.schema
  .extend({
    apiToken: z
      .string()
      .optional()
      .describe("The API key, shown only in this response and only to owners. An owner can rotate it later."),
  })
  .openapi("ProgramMade");

export const createProgram = endpoint({
  route: createRoute({
    method: "post",
    path: "/programs",
    operationId: "createProgram",
    tags: ["Management"],
    summary: "Create a program",
    description: "Creates a program with a first API key. A repeat creates another program.",
    ...reauthenticated(memberOfWorkspaceInBody("admin", NewProgram)),
    request: { body: body(NewProgram) },
    responses: {
      ...created("Program created", z.object({ data: ProgramMade })),
      ...refusals(["reauthenticate", ...memberWriteRefusals, ...inputRefusals, "cap_reached"]),
    },
  }),
  handler: async (c) => {
    const { name, websiteUrl, currency, timezone, location } = c.req.valid("json");
    const call = c.get("call");
    const userId = c.get("userId");
    const workspace = c.get("workspace");
    const membership = c.get("membership");
    const terms = { currency: currency ?? "USD", timezone: timezone ?? "UTC" };
    const program = { workspaceId: workspace.id, name, websiteUrl, ...terms };
    const by = { ...call, actorId: userId };
    const create = { ...by, kind: "create-program", secret: randomSecret(), program } as const;
    const placed = await place(c, { ...by, kind: "place-program", workspaceId: workspace.id, websiteUrl, location });
    if (!placed.ok) return refuse(c, placed.refusal);
    const { shard, ...programId } = placed.answer;
    const outcome = await callLedger(c, { shard }, (ledger) => ledger.run({ ...create, ...programId }));
    if (!outcome.ok) return refuse(c, outcome.refusal);
    const key = membership.role === "owner" ? { apiToken: outcome.answer.apiToken } : {};
    return c.json({ data: { ...programReply(outcome.answer.program, membership.role), ...key } }, 201);
  },
});

/** Without further shards there is nothing to choose. */
const place = async (c: Ctx, call: PlaceProgramCall) =>
  shardsOf(c.env).size === 0 && call.location === undefined
    ? ({ ok: true, answer: { shard: home } } as const)
    : callLedger(c, { shard: home }, (ledger) => ledger.run(call));
