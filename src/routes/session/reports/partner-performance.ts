import { dayIn } from "../../../domain/calendar.ts";
import { createRoute, endpoint, ok, refusals, refuse, refuseInvalid } from "../../../http/endpoint.ts";
import * as fields from "../../../http/schema/form-fields.ts";
import * as z from "../../../http/schema/zod.ts";
import {
  type PartnerPerformanceRow,
  type PartnerTotals,
  partnerSorts,
  readPartnerPerformance,
  sortOrders,
} from "../../../store/reports/partner-performance.ts";
import { readFromDatabase } from "../../read-database.ts";
import { memberRefusals, programMember } from "../guards.ts";
import { ProgramPath } from "../params.ts";
import { PartnerReply, partnerReply } from "../partners/partner-reply.ts";
import { bothDays, ever, maxDays, periodFields, periodMeta, rangeOf } from "./period.ts";
import { inOrder, ofDays, partnerSearch } from "./query.ts";

const pageSize = 50;
/** Covers the most partners that a program can have. */
const maxPage = 1_000;

const Query = z
  .object({
    ...periodFields(),
    currency: fields.currency("currency").optional().describe("Defaults to the program's currency."),
    sort: fields.oneOf("sort", partnerSorts).default("revenue"),
    order: fields
      .oneOf("order", sortOrders)
      .optional()
      .describe("Defaults to `asc` for names, and to `desc` for figures. Equal figures are sorted by name."),
    search: partnerSearch(),
    page: fields.integerText("page", 1, maxPage).default(1),
  })
  .refine(...bothDays())
  .refine(...inOrder())
  .refine(...ofDays(maxDays));

const count = z.int();
const cents = z.int().describe("Amount in the currency's smallest unit.");

const figureFields = {
  clicks: count,
  uniqueClicks: count.describe("Sum of the unique visitors of each day."),
  leads: count,
  sales: count.describe("Number of attributed sales, in any currency."),
  refunds: count,
  revenueCents: cents,
  refundedCents: cents,
  commissionCents: cents.describe("Commission earned less reversed, on the day of the ledger entry."),
  unpaidCents: cents.describe(
    "Approved and in no payout, whatever the period: payable if positive, carried to the next payout if negative.",
  ),
};

const PartnerPerformanceReply = z
  .object({
    data: z.array(
      z
        .object({
          ...PartnerReply.shape,
          ...figureFields,
        })
        .openapi("PartnerFigures"),
    ),
    meta: z.object({
      ...periodMeta,
      dateFrom: z.string().nullable().describe("Null for `all`."),
      dateTo: z.string().nullable().describe("Null for `all`."),
      totals: z.object(figureFields).describe("Sums over all partners that match the query."),
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
      `${pageSize} partners per page, also those without events in the range. Counts are over all currencies, amounts of ` +
      "one. Days are in the program's time zone. Test events are not counted.",
    ...programMember("viewer"),
    request: { params: ProgramPath, query: Query },
    responses: {
      ...ok("Partners with their performance", PartnerPerformanceReply),
      ...refusals([...memberRefusals, "invalid_input"]),
    },
  }),
  hook: refuseInvalid(Query),
  handler: async (c) => {
    const { sort, search = "", page, ...query } = c.req.valid("query");
    const program = c.get("program");
    const { currency = program.currency, order = sort === "name" ? "asc" : "desc" } = query;
    const { period, days } = rangeOf(query, dayIn(program.timezone, c.get("call").at));
    const book = { programId: program.id, isTest: false };
    const asked = { days, currency, search, sort, order, limit: pageSize, offset: (page - 1) * pageSize };
    const found = await readFromDatabase(c, (database) => readPartnerPerformance(database, book, asked));
    if (!found.ok) return refuse(c, found.refusal);

    const { rows, total, totals, currencies } = found.value;
    const meta = {
      period,
      dateFrom: days === ever ? null : days.from,
      dateTo: days === ever ? null : days.to,
      currency,
      otherCurrencies: currencies.filter((other) => other !== currency),
      timezone: program.timezone,
      totals: figuresReply(totals),
      pagination: { page, pageSize, pageCount: Math.ceil(total / pageSize), total },
    };
    return c.json({ data: rows.map(rowReply), meta }, 200);
  },
});

const rowReply = (row: PartnerPerformanceRow) => ({ ...partnerReply(row), ...figuresReply(row) });

function figuresReply(figures: PartnerTotals) {
  return {
    clicks: Number(figures.clicks),
    uniqueClicks: Number(figures.uniqueClicks),
    leads: Number(figures.leads),
    sales: Number(figures.sales),
    refunds: Number(figures.refunds),
    revenueCents: Number(figures.revenueCents),
    refundedCents: Number(figures.refundedCents),
    commissionCents: Number(figures.commissionCents),
    unpaidCents: Number(figures.unpaidCents),
  };
}
