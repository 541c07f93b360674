import {
  BreakdownReply,
  breakdownColumns,
  breakdownLines,
  breakdownPage,
  breakdownReply,
  openBreakdown,
  ProgressLine,
  readBreakdown,
} from "#api/breakdown.ts";
import { fewDays, filterFields, ofProgramFields, periodOf } from "#api/breakdown-query.ts";
import { downloadPages } from "#api/download-pages.ts";
import {
  amountCell,
  csvContent,
  type ExportColumns,
  exportHeaders,
  format,
  okOrFile,
  periodName,
} from "#api/export-file.ts";
import { linkOf, partnerRecord, partnerReply } from "#api/partners.ts";
import {
  bothDays,
  ever,
  inOrder,
  maxDays,
  ofDays,
  partnerSearch,
  periodFields,
  periodMeta,
  rangeOf,
} from "#api/period.ts";
import { readFromDatabase } from "#api/read-database.ts";
import { currencyOrUnit, unitsOf } from "#api/units.ts";
import { groupings } from "#domain/breakdown.ts";
import { dayIn } from "#domain/calendar.ts";
import { clamped } from "#domain/money.ts";
import { ok } from "#domain/result.ts";
import { createRoute, endpoint, refusals, refuse } from "#http/endpoint.ts";
import { refusalOfSite } from "#http/same-site.ts";
import * as fields from "#http/schema/form-fields.ts";
import { int64 } from "#http/schema/integers.ts";
import { record, sum } from "#http/schema/record.ts";
import * as z from "#http/schema/zod.ts";
import { jsonStream, textStream } from "#http/text-stream.ts";
import {
  type PartnerPerformanceRow,
  partnerSorts,
  readPartnerPerformance,
  sortOrders,
} from "#store/reports/partner-performance.ts";
import { actingMember } from "./actor.ts";
import { seesEmails } from "./authorize.ts";
import { memberRefusals, programMember } from "./guards.ts";
import { asNamed, ProgramPath } from "./params.ts";

const partnerColumns = (currency: string, showsEmail: boolean): ExportColumns<PartnerPerformanceRow> => ({
  partner_id: ({ id }) => id,
  partner_code: ({ code }) => code,
  partner: ({ name }) => name,
  ...(showsEmail && { email: ({ email }) => email }),
  status: ({ status }) => status,
  link: linkOf,
  clicks: ({ clicks }) => clamped(clicks),
  sign_ups: ({ leads }) => clamped(leads),
  sales: ({ sales }) => clamped(sales),
  refunds: ({ refunds }) => clamped(refunds),
  revenue: ({ revenueCents }) => amountCell(clamped(revenueCents), currency),
  refunded: ({ refundedCents }) => amountCell(clamped(refundedCents), currency),
  commission: ({ commissionCents }) => amountCell(clamped(commissionCents), currency),
  to_pay: ({ unpaidCents }) => amountCell(clamped(unpaidCents), currency),
  currency: () => currency,
});

const pageSize = 50;
/** Rows per read for a file. The number is large, because each read ranks all partners. */
const filePageSize = 5_000;
/** Maximum page number. It is enough for the most partners that a program can have. */
const maxPage = 1_000;

const Query = z
  .object({
    ...periodFields(),
    currency: currencyOrUnit().optional().describe("Defaults to the program's currency."),
    sort: fields.oneOf("sort", partnerSorts).default("revenue"),
    order: fields
      .oneOf("order", sortOrders)
      .optional()
      .describe("Defaults to `asc` for names, and to `desc` for figures. Equal figures are sorted by name."),
    nonzero: fields
      .oneOf("nonzero", ["true"])
      .optional()
      .describe("Lists only partners whose figure of `sort` isn't 0. The totals count all partners."),
    search: partnerSearch(),
    page: fields.integerText("page", 1, maxPage).default(1),
    format: format(),
  })
  .refine(...bothDays())
  .refine(...inOrder())
  .refine(...ofDays(maxDays));

const count = int64();
const cents = "Amount in the currency's smallest unit.";

const figureFields = {
  clicks: sum(),
  uniqueClicks: sum("Sum of the unique visitors of each day."),
  leads: sum(),
  sales: sum("Number of attributed sales, in any currency."),
  refunds: sum(),
  revenueCents: sum(cents),
  refundedCents: sum(cents),
  commissionCents: sum(
    "Commission earned minus commission reversed, by the day of the ledger entry, without corrected sales.",
  ),
  unpaidCents: sum(
    "Amount to pay: approved and in no payout, regardless of the period. If negative, it is deducted from the next payouts.",
  ),
};
const figures = record(undefined, figureFields);
const totalFigures = record(undefined, {
  ...figureFields,
  carriedCents: sum("The part of `unpaidCents` that partners owe: negative or 0. The rest is to be paid."),
});

const PartnerPerformanceReply = z
  .object({
    data: z.array(z.object({ ...partnerRecord.schema.shape, ...figures.schema.shape }).openapi("PartnerFigures")),
    meta: z.object({
      ...periodMeta,
      dateFrom: z.string().nullable().describe("First day of the range. Null for `all`."),
      dateTo: z.string().nullable().describe("Last day of the range. Null for `all`."),
      totals: totalFigures.schema.describe("Sums over all partners that match the query."),
      pagination: z.object({
        page: count,
        pageSize: count,
        pageCount: count,
        total: count.describe("Number of partners that match the query."),
      }),
    }),
  })
  .openapi("PartnerPerformance");

export const partnerPerformance = endpoint({
  route: createRoute({
    method: "get",
    path: "/performance/{programId}/partners",
    operationId: "listPartnerPerformance",
    tags: ["Dashboard"],
    summary: "List a program's partners with their performance",
    description:
      `${pageSize} partners per page, including those without events in the range. Counts include all currencies; amounts ` +
      "are in one currency. Days are in the program's time zone. Test events are not counted.",
    ...programMember("viewer"),
    request: { params: ProgramPath, query: Query },
    responses: {
      ...okOrFile("Partners with their performance", PartnerPerformanceReply, partnerColumns("EUR", true)),
      ...refusals([...memberRefusals, "invalid_input", "download_running", "cross_site"]),
    },
  }),
  handler: async (c) => {
    const { sort, nonzero, search = "", page, format = "json", ...query } = c.req.valid("query");
    const program = c.get("program");
    const { currency = program.currency, order = sort === "name" ? "asc" : "desc" } = query;
    const { period, days } = rangeOf(query, dayIn(program.timezone, c.get("call").at));
    const known = await unitsOf(c, program.id, query.currency);
    if (!known.ok) return refuse(c, known.refusal);
    const inEmail = seesEmails(c.get("membership"));
    const book = { programId: program.id, isTest: false };
    const asked = { days, currency, search: { text: search, inEmail }, sort, order, hidesZeros: nonzero !== undefined };
    const read = (limit: number, offset: number) =>
      readFromDatabase(c, "program", (database) => readPartnerPerformance(database, book, { ...asked, limit, offset }));
    if (format === "csv") {
      const readFrom = async (offset = 0) => {
        const found = await read(filePageSize, offset);
        if (!found.ok) return found;
        const next = offset + filePageSize;
        return ok({ page: found.value.rows, next: next < found.value.total ? next : undefined });
      };
      const file = await downloadPages(c, actingMember(c), partnerColumns(currency, inEmail), readFrom);
      if (!file.ok) return refuse(c, file.refusal);
      const name = days === ever ? "all time" : periodName(days.from, days.to);
      return c.body(textStream(file.value.parts), 200, exportHeaders(program, "partners", name, currency));
    }
    const found = await read(pageSize, (page - 1) * pageSize);
    if (!found.ok) return refuse(c, found.refusal);

    const { rows, total, totals, currencies } = found.value;
    const meta = {
      period,
      dateFrom: days === ever ? null : days.from,
      dateTo: days === ever ? null : days.to,
      currency,
      otherCurrencies: currencies.filter((other) => other !== currency),
      timezone: program.timezone,
      totals: totalFigures.reply(totals),
      pagination: { page, pageSize, pageCount: Math.ceil(total / pageSize), total },
    };
    return c.json({ data: rows.map((row) => ({ ...partnerReply(row, inEmail), ...figures.reply(row) })), meta }, 200);
  },
});

const BreakdownQuery = z
  .object({
    ...periodOf(asNamed, groupings),
    ...ofProgramFields(),
    ...filterFields(asNamed),
    format: fields.oneOf("format", ["json", "csv", "jsonl"]).optional().openapi({
      description:
        "`csv` returns a file, `jsonl` one JSON value per line: `progress` while events are read, then `result` or `error`.",
    }),
  })
  .refine(...bothDays())
  .refine(...inOrder())
  .refine(...ofDays(maxDays))
  .refine(...fewDays(asNamed));

const Line = z
  .union([
    ProgressLine,
    z.object({ result: BreakdownReply }),
    z.object({ error: z.object({ code: z.string(), message: z.string() }) }),
  ])
  .openapi("BreakdownLine");

const exampleColumns = breakdownColumns({ groupBy: "partner", currency: "EUR", previous: undefined });

/** Groups by partner, code, sub-id and so on. */
export const breakdown = endpoint({
  route: createRoute({
    method: "get",
    path: "/programs/{programId}/performance",
    operationId: "getPerformanceByGroup",
    tags: ["Dashboard"],
    summary: "Get a program's figures by group",
    description:
      "The groups add up to the totals. Each filter limits all figures. Days are in the program's time zone. Counts include all currencies; amounts are in one currency. The figures are computed from events during the call. A program can run one such call at a time; a new call of yours ends your earlier one. Test events are not counted.",
    ...programMember("viewer"),
    request: { params: ProgramPath, query: BreakdownQuery },
    responses: {
      200: {
        description: "Figures by group",
        content: {
          "application/json": { schema: BreakdownReply },
          "application/jsonl": { schema: Line },
          ...csvContent(exampleColumns),
        },
      },
      ...refusals([...memberRefusals, "invalid_input", "breakdown_running", "download_running", "cross_site"]),
    },
  }),
  handler: async (c) => {
    const { format = "json", ...query } = c.req.valid("query");
    const { id: programId, name, currency, timezone } = c.get("program");
    const today = dayIn(timezone, c.get("call").at);
    const turn = { kind: "breakdown", programId, userId: c.get("userId") } as const;
    const refusal = format === "jsonl" ? refusalOfSite(c) : undefined;
    if (refusal !== undefined) return refuse(c, refusal);
    const asked = [c, { programId, timezone, currency }, turn, { ...query, today }] as const;
    if (format === "csv") {
      const { currency: shown = currency, groupBy } = query;
      const { days, previous } = rangeOf(query, today);
      const columns = breakdownColumns({
        groupBy,
        currency: shown,
        previous: query.compare === undefined ? undefined : previous,
      });
      const file = await downloadPages(c, actingMember(c), columns, async () => {
        const read = await readBreakdown(...asked);
        return read.ok ? breakdownPage(c, read.value) : read;
      });
      if (!file.ok) return refuse(c, file.refusal);
      const period = days === ever ? "all time" : periodName(days.from, days.to);
      const names = ["by", groupBy, period, shown];
      return c.body(textStream(file.value.parts), 200, exportHeaders({ id: programId, name }, ...names));
    }
    if (format === "jsonl") {
      const opened = await openBreakdown(...asked);
      if (!opened.ok) return refuse(c, opened.refusal);
      const lines = breakdownLines(c, opened.value);
      return jsonStream<z.output<typeof BreakdownReply>>(c, lines, { "Content-Type": "application/jsonl" });
    }
    const whole = await readBreakdown(...asked);
    if (!whole.ok) return refuse(c, whole.refusal);
    const reply = await breakdownReply(c, whole.value);
    return reply.ok ? c.json(reply.value, 200) : refuse(c, reply.refusal);
  },
});
