import {
  bookField,
  commissionColumns,
  commissionCursors,
  commissionRecord,
  filterFields,
  filterOf,
  payoutId,
  readCommission,
  reviewed,
  saleDayFields,
  saleDaysOf,
  unconfirmedText,
} from "#api/commissions.ts";
import { downloadPages } from "#api/download-pages.ts";
import { exportHeaders, format, okOrFile, periodName } from "#api/export-file.ts";
import { inOrder, partnerId } from "#api/period.ts";
import { readFromDatabase } from "#api/read-database.ts";
import { unitsOf } from "#api/units.ts";
import type { Book } from "#domain/book.ts";
import { voidReasons } from "#domain/commission.ts";
import { shownStatuses } from "#domain/commission-status.ts";
import type { PayoutId } from "#domain/ids.ts";
import { ok } from "#domain/result.ts";
import { raisedCodes } from "#domain/risk.ts";
import { refAdder } from "#http/commission-ref.ts";
import type { Ctx } from "#http/context.ts";
import { createRoute, endpoint, refusals, refuse, returns } from "#http/endpoint.ts";
import { cursorMessage, PageMeta } from "#http/schema/cursor.ts";
import * as fields from "#http/schema/form-fields.ts";
import { int64 } from "#http/schema/integers.ts";
import { record, sum } from "#http/schema/record.ts";
import * as z from "#http/schema/zod.ts";
import { textStream } from "#http/text-stream.ts";
import {
  type CommissionFilter,
  type CommissionPosition,
  commissionOrders,
  commissionSorts,
  positionOf,
} from "#store/views/commission-filter.ts";
import { type CommissionPage, listCommissions as list } from "#store/views/commission-list.ts";
import { readCommissionTotals } from "#store/views/commission-totals.ts";
import { actingMember } from "./actor.ts";
import { memberRefusals, programMember } from "./guards.ts";
import { CommissionPath, ProgramPath } from "./params.ts";

const TotalsQuery = z
  .object({ partnerId: partnerId(), payoutId: payoutId(), ...saleDayFields(), test: bookField() })
  .refine(...inOrder());

const totalRecord = record("CommissionTotal", {
  status: z.enum(shownStatuses),
  reason: z.string().nullable().describe("Reason why `void` commissions pay nothing. Null for any other status."),
  currency: z.string(),
  count: int64(),
  amountCents: sum("Sum of the remaining amounts, in the currency's smallest unit."),
  initialCents: sum("Sum of the amounts before refunds and rejections."),
  unconfirmed: int64().describe("Number of commissions whose attribution only a browser reported."),
  unconfirmedCents: sum("Sum of the remaining amounts of the `unconfirmed` commissions."),
  held: int64().describe("Number of commissions that are held."),
  heldCents: sum("Sum of the remaining amounts of the `held` commissions."),
});

export const commissionTotals = endpoint({
  route: createRoute({
    method: "get",
    path: "/programs/{programId}/commissions/totals",
    operationId: "getCommissionTotals",
    tags: ["Management"],
    summary: "Get the totals of a program's commissions",
    description: "One entry for each status, reason and currency. Amounts are never converted.",
    ...programMember("viewer"),
    request: { params: ProgramPath, query: TotalsQuery },
    responses: {
      ...returns("Totals", z.object({ data: z.array(totalRecord.schema) })),
      ...refusals([...memberRefusals, "invalid_input"]),
    },
  }),
  handler: async (c) => {
    const { partnerId, payoutId, test, ...days } = c.req.valid("query");
    const book = { programId: c.get("program").id, isTest: test === "only" };
    const filter = { partnerId, payoutId, days: saleDaysOf(days) };
    const found = await readFromDatabase(c, "program", (database) => readCommissionTotals(database, book, filter));
    return found.ok ? c.json({ data: found.value.map(totalRecord.reply) }, 200) : refuse(c, found.refusal);
  },
});

const pageSizes = { json: 50, csv: 500 };

const inPayoutMessage = "inPayout needs partnerId and currency, and no payoutId and no status other than approved";

const Query = z
  .object({
    ...filterFields(),
    inPayout: fields.oneOf("inPayout", ["true", "false"]).optional().openapi({
      description:
        "`true` limits the result to approved commissions in a payout that isn't paid, `false` to those in no payout: to commissions in the partner's `inPayoutCents` or `payableCents`. Needs `partnerId` and `currency`. Can't be combined with `payoutId` or another `status` than `approved`.",
    }),
    unconfirmed: fields.oneOf("unconfirmed", ["true"]).optional().openapi({ description: unconfirmedText }),
    held: fields
      .oneOf("held", ["true"])
      .optional()
      .openapi({ description: "Limits the result to commissions that are held." }),
    flag: fields
      .oneOf("flag", ["any", ...raisedCodes])
      .optional()
      .openapi({ description: "Limits the result to commissions with this signal, whether it holds them or not." }),
    reason: fields.oneOf("reason", voidReasons).optional().openapi({
      description: "Limits the result to commissions that pay nothing for this reason. Use `status=void`.",
    }),
    test: bookField(),
    sort: fields
      .oneOf("sort", commissionSorts)
      .default("created")
      .openapi({
        description:
          "`created` sorts by the time at which the sale was received, `date` by the time of the sale, `amount` by currency and remaining amount, " +
          "`partner` by partner and approval. `partner` needs `payoutId`, and is the fastest for a large payout.",
      }),
    order: fields.oneOf("order", commissionOrders).default("desc"),
    cursor: commissionCursors.parameter("nextCursor", " Send the same `sort` and `order` with it."),
    format: format(),
    columns: fields
      .oneOf("columns", ["api", "accounting"])
      .default("api")
      .openapi({
        description:
          "Columns of the CSV file. `accounting` has amounts in decimals, dates in the program's time zone and names of " +
          "partners. Its `correction` is `replaced` for a sale that was corrected, and `replacement` for the new one.",
      }),
  })
  .refine(...inOrder())
  .refine(...fields.rule(["inPayout"], inPayoutMessage, isOfBalance))
  .refine(...fields.rule(["sort"], "sort=partner needs payoutId", isOfPayoutIfByPartner))
  .refine(...fields.rule(["cursor"], cursorMessage, isOfThisList));

interface ListQuery {
  readonly inPayout?: unknown;
  readonly partnerId?: unknown;
  readonly currency?: unknown;
  readonly status?: unknown;
  readonly payoutId?: PayoutId | undefined;
  readonly sort?: unknown;
  readonly order?: unknown;
  readonly cursor?: { readonly sort: string; readonly order: string } | undefined;
}
function isOfBalance({ inPayout, partnerId, currency, status = "approved", payoutId }: ListQuery): boolean {
  if (inPayout === undefined) return true;
  return partnerId !== undefined && currency !== undefined && status === "approved" && payoutId === undefined;
}

function isOfPayoutIfByPartner({ sort, payoutId }: ListQuery): boolean {
  return sort !== "partner" || payoutId !== undefined;
}

function isOfThisList({ sort, order, cursor }: ListQuery): boolean {
  return cursor === undefined || (cursor.sort === sort && cursor.order === order);
}

export const listCommissions = endpoint({
  route: createRoute({
    method: "get",
    path: "/programs/{programId}/commissions",
    operationId: "listCommissions",
    tags: ["Management"],
    summary: "List a program's commissions",
    description: "Filters can be combined. Test commissions are listed only with `test=only`.",
    ...programMember("viewer"),
    request: { params: ProgramPath, query: Query },
    responses: {
      ...okOrFile(
        `Commissions, newest first by default, ${pageSizes.json} per page`,
        z.object({ data: z.array(commissionRecord.schema), meta: PageMeta }),
        commissionColumns.api(),
      ),
      ...refusals([...memberRefusals, "invalid_input", "download_running", "cross_site"]),
    },
  }),
  handler: async (c) => {
    const { cursor, format = "json", test, unconfirmed, held, inPayout, ...query } = c.req.valid("query");
    const { sort, order, columns } = query;
    const { id: programId } = c.get("program");
    const known = await unitsOf(c, programId, query.currency);
    if (!known.ok) return refuse(c, known.refusal);
    const asked = {
      book: { programId, isTest: test === "only" },
      filter: filterOf({
        ...query,
        isUnconfirmed: unconfirmed === "true",
        isHeld: held === undefined ? undefined : true,
        isInPayout: inPayout === undefined ? undefined : inPayout === "true",
      }),
      sort,
      order,
      size: pageSizes[format],
    };
    if (format === "csv") {
      const read = (after: CommissionPosition | undefined) => readFrom(c, asked, after);
      const shown = commissionColumns[columns](c.get("program").timezone);
      const file = await downloadPages(c, actingMember(c), shown, read);
      if (!file.ok) return refuse(c, file.refusal);
      const period = periodName(query.dateFrom, query.dateTo);
      return c.body(textStream(file.value.parts), 200, exportHeaders(c.get("program"), "commissions", period));
    }
    const read = await readFrom(c, asked, cursor);
    if (!read.ok) return refuse(c, read.refusal);
    const { page, meta } = read.value;
    return c.json({ data: page.map(commissionRecord.reply), meta }, 200);
  },
});

interface Asked extends Pick<CommissionPage, "sort" | "order"> {
  readonly book: Book;
  readonly filter: CommissionFilter;
  readonly size: number;
}

async function readFrom(c: Ctx, { book, filter, sort, order, size }: Asked, after: CommissionPosition | undefined) {
  const asked = { sort, order, after, limit: size + 1 };
  const found = await readFromDatabase(c, "program", (database) => list(database, book, filter, asked));
  if (!found.ok) return found;
  const rows = found.value.map(reviewed).map(refAdder(c, book.programId));
  return ok(commissionCursors.pageOf(rows, size, (last) => ({ sort, order, ...positionOf(sort, last) })));
}

export const getCommission = endpoint({
  route: createRoute({
    method: "get",
    path: "/programs/{programId}/commissions/{commissionId}",
    operationId: "getCommission",
    tags: ["Management"],
    summary: "Get a commission",
    description:
      "Returns a live commission with its amounts, status and sale. To see how it was decided, explain its sale.",
    ...programMember("viewer"),
    request: { params: CommissionPath },
    responses: {
      ...returns("The commission", z.object({ data: commissionRecord.schema })),
      ...refusals(memberRefusals),
    },
  }),
  handler: async (c) => {
    const { commissionId: id } = c.req.valid("param");
    const found = await readCommission(c, c.get("program").id, id);
    return found.ok ? c.json({ data: found.value }, 200) : refuse(c, found.refusal);
  },
});
