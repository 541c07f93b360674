import { readFromDatabase } from "#api/read-database.ts";
import { Risk, riskColumns, riskReply } from "#api/risk.ts";
import type { PartnerId } from "#domain/ids.ts";
import { notFound } from "#domain/result.ts";
import { runOperation } from "#http/call-ledger.ts";
import { body, createRoute, endpoint, refusals, refuse, returns, withJsonBody } from "#http/endpoint.ts";
import { id, int64 } from "#http/schema/integers.ts";
import { instant, record } from "#http/schema/record.ts";
import * as z from "#http/schema/zod.ts";
import { readTrackRecords, recordedCommissions } from "#store/reports/track-records.ts";
import { readProgram } from "#store/views/programs.ts";
import { actingMember } from "./actor.ts";
import { inputRefusals, memberRefusals, memberWriteRefusals, programMember } from "./guards.ts";
import { ProgramPath } from "./params.ts";

export const getRisk = endpoint({
  route: createRoute({
    method: "get",
    path: "/programs/{programId}/risk",
    operationId: "getRisk",
    tags: ["Management"],
    summary: "Get the risk settings",
    description:
      "Returns which signals make a commission suspicious. By default each signal holds the commission, and no host is blocked.",
    ...programMember("viewer"),
    request: { params: ProgramPath },
    responses: {
      ...returns("The settings", z.object({ data: Risk })),
      ...refusals(memberRefusals),
    },
  }),
  handler: async (c) => {
    const { id } = c.get("program");
    const found = await readFromDatabase(c, "program", (database) => readProgram(database, id));
    if (!found.ok) return refuse(c, found.refusal);
    const { program } = found.value;
    if (program === undefined) return refuse(c, notFound("program"));
    return c.json({ data: riskReply(program) }, 200);
  },
});

export const setRisk = endpoint({
  route: createRoute({
    method: "put",
    path: "/programs/{programId}/risk",
    operationId: "setRisk",
    tags: ["Management"],
    summary: "Set the risk settings",
    description:
      "Sets which signals make a commission suspicious. Applies to later decisions: held commissions stay held until a member decides them or their review ends.",
    ...withJsonBody(programMember("admin")),
    request: { params: ProgramPath, body: body(Risk) },
    responses: {
      ...returns("The settings", z.object({ data: Risk })),
      ...refusals([...memberWriteRefusals, ...inputRefusals, "join_page_open"]),
    },
  }),
  handler: async (c) => {
    const data = c.req.valid("json");
    const isOwner = c.get("membership").role === "owner";
    const update = { ...actingMember(c), kind: "update-program", isOwner, changes: riskColumns(data) } as const;
    const updated = await runOperation(c, update);
    return updated.ok ? c.json({ data }, 200) : refuse(c, updated.refusal);
  },
});

const maxPartners = 50;
const rule = `partnerIds must be 1 to ${maxPartners} ids of partners, separated by commas`;

const Query = z.object({
  partnerIds: z
    .string(rule)
    .regex(new RegExp(`^[1-9]\\d{0,15}(,[1-9]\\d{0,15}){0,${maxPartners - 1}}$`), rule)
    .transform((text) => [...new Set(text.split(","))].map((id) => Number(id) as PartnerId))
    .openapi({ description: "Ids of partners, separated by commas.", example: "12,31" }),
});

const trackRecord = record("TrackRecord", {
  partnerId: id(),
  commissions: int64(),
  held: int64().describe("Number of these commissions that are or were held for review."),
  rejected: int64().describe("Number of these commissions that were rejected."),
  since: instant("Time at which the oldest of these sales was received."),
});

export const listTrackRecords = endpoint({
  route: createRoute({
    method: "get",
    path: "/programs/{programId}/risk/track-records",
    operationId: "listTrackRecords",
    tags: ["Management"],
    summary: "List partners' track records",
    description: `For each partner, counts how many of the newest ${recordedCommissions} live commissions were held or rejected. Partners without commissions are left out.`,
    ...programMember("viewer"),
    request: { params: ProgramPath, query: Query },
    responses: {
      ...returns("Track records", z.object({ data: z.array(trackRecord.schema) })),
      ...refusals([...memberRefusals, "invalid_input"]),
    },
  }),
  handler: async (c) => {
    const { partnerIds } = c.req.valid("query");
    const book = { programId: c.get("program").id, isTest: false };
    const found = await readFromDatabase(c, "program", (database) => readTrackRecords(database, book, partnerIds));
    return found.ok ? c.json({ data: found.value.map(trackRecord.reply) }, 200) : refuse(c, found.refusal);
  },
});
