import { readFromDatabase } from "#api/read-database.ts";
import { addDays, dayIn } from "#domain/calendar.ts";
import { unknownCodesKeptDays } from "#domain/retention.ts";
import { locationsOf } from "#domain/shard-choice.ts";
import { createRoute, endpoint, refusals, refuse, returns } from "#http/endpoint.ts";
import { int64 } from "#http/schema/integers.ts";
import * as z from "#http/schema/zod.ts";
import { readShardLoads } from "#store/places.ts";
import { readUnknownCodes } from "#store/unknown-codes.ts";
import { memberRefusals, programMember, sessionRefusals, signedInAsMember } from "./guards.ts";
import { ProgramPath } from "./params.ts";

const LocationsReply = z.object({
  data: z.array(
    z
      .object({ location: z.string().describe("Name of the location, which `createProgram` accepts.") })
      .openapi("Location"),
  ),
});

export const listLocations = endpoint({
  route: createRoute({
    method: "get",
    path: "/locations",
    operationId: "listLocations",
    tags: ["Management"],
    summary: "List locations",
    description: "Lists the locations in which a new program's data can be stored. Empty if the service has only one.",
    ...signedInAsMember(),
    responses: {
      ...returns("Locations", LocationsReply),
      ...refusals(["oidc_required", ...sessionRefusals]),
    },
  }),
  handler: async (c) => {
    const found = await readFromDatabase(c, "home", readShardLoads);
    if (!found.ok) return refuse(c, found.refusal);
    return c.json({ data: locationsOf(found.value).map((location) => ({ location })) }, 200);
  },
});

const UnknownCode = z
  .object({
    day: z.iso.date().describe("Day of the landings, in the program's time zone."),
    code: z
      .string()
      .describe("The code, with its ASCII letters in lower case. May contain characters that no partner's code has."),
    landings: int64().describe("Number of landings, without bots."),
  })
  .openapi("UnknownCode");

const Query = z.object({
  test_mode: z
    .enum(["true", "false"], "test_mode must be true or false")
    .optional()
    .describe("`true` reads test data."),
});

export const listUnknownCodes = endpoint({
  route: createRoute({
    method: "get",
    path: "/programs/{programId}/unknown-codes",
    operationId: "listUnknownCodes",
    tags: ["Management"],
    summary: "List landings with unknown codes",
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
    const { id: programId, timezone } = c.get("program");
    const book = { programId, isTest: c.req.valid("query").test_mode === "true" };
    const since = addDays(dayIn(timezone, c.get("call").at), 1 - unknownCodesKeptDays);
    const found = await readFromDatabase(c, "program", (database) => readUnknownCodes(database, book, since));
    return found.ok ? c.json({ data: found.value }, 200) : refuse(c, found.refusal);
  },
});
