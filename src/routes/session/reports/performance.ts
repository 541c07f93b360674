import { dayIn } from "../../../domain/calendar.ts";
import { type Days, daysBefore, daysEnding } from "../../../domain/performance.ts";
import { createRoute, endpoint, ok, refusals, refuse, refuseInvalid } from "../../../http/endpoint.ts";
import * as fields from "../../../http/schema/form-fields.ts";
import * as z from "../../../http/schema/zod.ts";
import { readPerformance } from "../../../store/reports/performance.ts";
import { readFromDatabase } from "../../read-database.ts";
import { memberRefusals, programMember } from "../guards.ts";
import { ProgramPath } from "../params.ts";
import { type Performance, PerformanceReply, performanceReply } from "./performance-reply.ts";
import { day, inOrder, ofDays, partnerId } from "./query.ts";

const lengths = { "7d": 7, "30d": 30, "90d": 90 } as const;
const maxDays = 1_100;

type Range = { readonly dateFrom?: string | undefined; readonly dateTo?: string | undefined };
const isComplete = ({ dateFrom, dateTo }: Range): boolean => (dateFrom === undefined) === (dateTo === undefined);

const Query = z
  .object({
    period: fields.oneOf("period", ["7d", "30d", "90d", "all"]).default("7d").openapi({
      description: "Number of days, ending today. `all` begins with the first day that has data.",
    }),
    dateFrom: day("dateFrom")
      .optional()
      .describe("First day of the range, together with `dateTo`. Takes precedence over `period`."),
    dateTo: day("dateTo").optional().describe("Last day of the range, inclusive."),
    partnerId: partnerId(),
    currency: fields.currency("currency").optional().describe("Defaults to the program's currency."),
  })
  .refine(...fields.rule(["dateFrom"], "dateFrom and dateTo must be sent together", isComplete))
  .refine(...inOrder())
  .refine(...ofDays(maxDays));
type Query = z.output<typeof Query>;

export const performance = endpoint({
  route: createRoute({
    method: "get",
    path: "/performance/{programId}",
    operationId: "getPerformance",
    tags: ["Dashboard"],
    summary: "Get a program's performance",
    description:
      "Days are in the program's time zone and fixed when an event is recorded. Leads, sales, refunds and revenue include " +
      "only attributed events, gross, on the day of the event. Test events are not counted.",
    ...programMember("viewer"),
    request: { params: ProgramPath, query: Query },
    responses: {
      ...ok("Performance metrics", PerformanceReply),
      ...refusals([...memberRefusals, "invalid_input"]),
    },
  }),
  hook: refuseInvalid(Query),
  handler: async (c) => {
    const query = c.req.valid("query");
    const program = c.get("program");
    const call = c.get("call");
    const today = dayIn(program.timezone, call.at);
    const { period, days, previous } = rangeOf(query, today);
    const { currency = program.currency, partnerId } = query;
    const filter = { days, since: (previous ?? days).from, partnerId, currency };
    const book = { programId: program.id, isTest: false };
    const found = await readFromDatabase(c, (database) => readPerformance(database, book, filter));
    if (!found.ok) return refuse(c, found.refusal);

    const { days: counted, ...rest } = found.value;
    const shownDays = days === ever ? lifetime(counted, today) : days;
    const { timezone } = program;
    return c.json(performanceReply({ ...rest, period, days: shownDays, previous, counted, currency, timezone }), 200);
  },
});

const ever: Days = { from: "0000-01-01", to: "9999-12-31" };

function rangeOf(
  { period, dateFrom: from, dateTo: to }: Query,
  today: string,
): Pick<Performance, "period" | "days" | "previous"> {
  if (from !== undefined && to !== undefined) return compared("custom", { from, to });
  if (period === "all") return { period, days: ever, previous: undefined };
  return compared(period, daysEnding(today, lengths[period]));
}

const compared = (period: Performance["period"], days: Days) => ({ period, days, previous: daysBefore(days) });

/** Starts with the first day that has figures. Can end after today if the time zone was changed. */
function lifetime(counted: Performance["counted"], today: string): Days {
  const last = counted.at(-1)?.day ?? today;
  return { from: counted[0]?.day ?? today, to: last > today ? last : today };
}
