import { readFromDatabase } from "#api/read-database.ts";
import { dateUtc, dayMs } from "#domain/calendar.ts";
import { unknownCodesKeptDays } from "#domain/retention.ts";
import { createRoute, endpoint, returns, refusals, refuse } from "#http/endpoint.ts";
import { int64 } from "#http/schema/integers.ts";
import * as z from "#http/schema/zod.ts";
import { readUnknownCodes } from "#store/unknown-codes.ts";
import { memberRefusals, programMember } from "../guards.ts";
import { ProgramPath } from "../params.ts";

const UnknownCode = z
  .object({
    day: z.iso.date().describe("In the program's time zone."),
    code: z.string().describe("In lower case. It may have letters that no partner's code has."),
    landings: int64().describe("Bots are left out."),
  })
  .openapi("UnknownCode");

const Query = z.object({
  test_mode: z
    .enum(["true", "false"], "test_mode must be true or false")
    .optional()
    .describe("`true` reads the test book."),
});

export const listUnknownCodes = endpoint({
  route: createRoute({
    method: "get",
    path: "/programs/{programId}/unknown-codes",
    operationId: "listUnknownCodes",
    tags: ["Management"],
    summary: "List landings with a code that no partner has",
    description:
      'Clicks that were refused with "Referral link not found" in the last 30 days, newest day first. Only calls with a `program_id` ' +
      "are counted, and at most 100 codes a day. New ones appear within a minute; a few may be missing.",
    ...programMember("viewer"),
    request: { params: ProgramPath, query: Query },
    responses: {
      ...returns("Landings by day and code", z.object({ data: z.array(UnknownCode) })),
      ...refusals([...memberRefusals, "invalid_input"]),
    },
  }),
  handler: async (c) => {
    const book = { programId: c.get("program").id, isTest: c.req.valid("query").test_mode === "true" };
    const since = dateUtc(c.get("call").at - (unknownCodesKeptDays - 1) * dayMs);
    const found = await readFromDatabase(c, "program", (database) => readUnknownCodes(database, book, since));
    return found.ok ? c.json({ data: found.value }, 200) : refuse(c, found.refusal);
  },
});
