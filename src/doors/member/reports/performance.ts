import { readFromDatabase } from "#api/read-database.ts";
import { dayIn } from "#domain/calendar.ts";
import { createRoute, endpoint, returns, refusals, refuse } from "#http/endpoint.ts";
import * as fields from "#http/schema/form-fields.ts";
import * as z from "#http/schema/zod.ts";
import { readPerformance } from "#store/reports/performance.ts";
import { memberRefusals, programMember } from "../guards.ts";
import { ProgramPath } from "../params.ts";
import { PerformanceReply, performanceReply } from "./performance-reply.ts";
import { bothDays, daysShown, maxDays, periodFields, rangeOf } from "./period.ts";
import { inOrder, ofDays, partnerId } from "./query.ts";

const Query = z
  .object({
    ...periodFields(),
    partnerId: partnerId(),
    currency: fields.currency("currency").optional().describe("Defaults to the program's currency."),
  })
  .refine(...bothDays())
  .refine(...inOrder())
  .refine(...ofDays(maxDays));

export const performance = endpoint({
  route: createRoute({
    method: "get",
    path: "/performance/{programId}",
    operationId: "getPerformance",
    tags: ["Dashboard"],
    summary: "Get a program's performance",
    description:
      "Days are in the program's time zone and fixed when an event is recorded. Leads, sales, refunds and revenue include " +
      "only attributed events, gross, on the day of the event. Counts are over all currencies, amounts of one. Test events are " +
      "not counted.",
    ...programMember("viewer"),
    request: { params: ProgramPath, query: Query },
    responses: {
      ...returns("Performance metrics", PerformanceReply),
      ...refusals([...memberRefusals, "invalid_input"]),
    },
  }),
  handler: async (c) => {
    const query = c.req.valid("query");
    const program = c.get("program");
    const call = c.get("call");
    const today = dayIn(program.timezone, call.at);
    const { period, days, previous } = rangeOf(query, today);
    const { currency = program.currency, partnerId } = query;
    const filter = { days, since: (previous ?? days).from, partnerId, currency };
    const book = { programId: program.id, isTest: false };
    const found = await readFromDatabase(c, "program", (database) => readPerformance(database, book, filter));
    if (!found.ok) return refuse(c, found.refusal);

    const { days: counted, ...rest } = found.value;
    const shownDays = daysShown(days, counted, today);
    const { timezone } = program;
    return c.json(performanceReply({ ...rest, period, days: shownDays, previous, counted, currency, timezone }), 200);
  },
});
