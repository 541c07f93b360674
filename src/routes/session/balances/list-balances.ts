import { balanceOf } from "../../../domain/balance.ts";
import { dayIn } from "../../../domain/calendar.ts";
import { ok, type Result } from "../../../domain/result.ts";
import { createRoute, endpoint, refusals, refuse, refuseInvalid } from "../../../http/endpoint.ts";
import { cutPage, PageMeta } from "../../../http/schema/cursor.ts";
import * as fields from "../../../http/schema/form-fields.ts";
import * as z from "../../../http/schema/zod.ts";
import { textStream } from "../../../http/text-stream.ts";
import { readBalances } from "../../../store/views/balance-totals.ts";
import {
  type BalancePosition,
  type BalanceView,
  balanceSorts,
  listBalances as readPage,
} from "../../../store/views/balances.ts";
import { readFromDatabase } from "../../read-database.ts";
import { allPages } from "../all-pages.ts";
import { amountCell, type ExportColumns, exportHead, exportHeaders, exportLines } from "../export-file.ts";
import { memberRefusals, programMember } from "../guards.ts";
import { ProgramPath } from "../params.ts";
import { balanceCursor, cursorAfter } from "./balance-cursor.ts";
import { BalanceAmounts } from "./balance-reply.ts";

const pageSizes = { json: 50, csv: 500 };

const Query = z.object({
  cursor: balanceCursor(),
  currency: fields.currency("currency").optional().describe("Lists only balances in this currency."),
  sort: fields
    .oneOf("sort", balanceSorts)
    .optional()
    .describe(
      "`currency` (default): by currency and partner. `payable`: by currency, then the highest amount to pay first.",
    ),
  format: fields
    .oneOf("format", ["json", "csv"])
    .optional()
    .openapi({ description: "`csv` returns all pages in one file." }),
});

const BalanceReply = z
  .object({
    partnerId: z.int(),
    partnerCode: z.string().describe("The partner's `aff` code."),
    name: z.string(),
    ...BalanceAmounts.shape,
  })
  .openapi("Balance");

type BalanceReply = z.output<typeof BalanceReply>;

const BalanceTotals = z
  .object({
    ...BalanceAmounts.shape,
    paidThisYearCents: z
      .int()
      .describe("Paid this year in the program's time zone, by `paidAt`, less returned payments."),
  })
  .openapi("BalanceTotals");

const BalanceMeta = PageMeta.extend({
  totals: z.array(BalanceTotals).describe("Sums over all partners, by currency. No filter applies."),
});

export const listBalances = endpoint({
  route: createRoute({
    method: "get",
    path: "/programs/{programId}/balances",
    operationId: "listBalances",
    tags: ["Payouts"],
    summary: "List partner balances",
    description:
      "One balance for each partner and currency. A partner's balance is `pendingCents` + " +
      "`payableCents` + `inPayoutCents` + `carriedCents`. Amounts are in the currency's smallest unit and never converted. " +
      "Test events are not counted.",
    ...programMember("viewer"),
    request: { params: ProgramPath, query: Query },
    responses: {
      200: {
        description: `Balances, ${pageSizes.json} per page`,
        content: {
          "application/json": { schema: z.object({ data: z.array(BalanceReply), meta: BalanceMeta }) },
          "text/csv": { schema: z.string() },
        },
      },
      ...refusals([...memberRefusals, "invalid_input"]),
    },
  }),
  hook: refuseInvalid(Query),
  handler: async (c) => {
    const { cursor, currency, sort = "currency", format = "json" } = c.req.valid("query");
    const { id: programId, timezone } = c.get("program");
    const size = pageSizes[format];
    const list = { programId, currency, sort, after: cursor, limit: size + 1 };
    if (format === "json") {
      const read = await readFromDatabase(c, (database) =>
        readBalances(database, list, { timezone, at: c.get("call").at }),
      );
      if (!read.ok) return refuse(c, read.refusal);
      const { balances, next } = pageOf(read.value.found, size);
      const nextCursor = next === undefined ? null : cursorAfter(next);
      return c.json({ data: balances, meta: { nextCursor, totals: [...read.value.totals] } }, 200);
    }
    const readFrom = async (after: BalancePosition | undefined): Promise<Result<BalancePage>> => {
      const read = await readFromDatabase(c, (database) => readPage(database, { ...list, after }));
      return read.ok ? ok(pageOf(read.value, size)) : read;
    };
    const first = await readFrom(format === "csv" ? undefined : cursor);
    if (!first.ok) return refuse(c, first.refusal);
    const headers = exportHeaders(c.get("program"), "balances", currency, dayIn(timezone, c.get("call").at));
    return c.body(textStream(balancesCsv(allPages(first.value, readFrom))), 200, headers);
  },
});

interface BalancePage {
  readonly balances: BalanceReply[];
  readonly next: BalancePosition | undefined;
}

function pageOf(found: readonly BalanceView[], size: number): BalancePage {
  const { page, last } = cutPage(found, size);
  return { balances: page.map(balanceReply), next: last && positionOf(last) };
}

const positionOf = ({ currency, partnerId, payableCents }: BalanceView): BalancePosition => ({
  currency,
  partnerId,
  payableCents: String(payableCents),
});

const balanceReply = ({ partnerId, partnerCode, name, currency, ...sums }: BalanceView): BalanceReply => ({
  partnerId,
  partnerCode,
  name,
  currency,
  ...balanceOf(sums),
});

const columns: ExportColumns<BalanceReply> = {
  partner_id: ({ partnerId }) => partnerId,
  partner_code: ({ partnerCode }) => partnerCode,
  partner: ({ name }) => name,
  on_hold: ({ pendingCents, currency }) => amountCell(pendingCents, currency),
  to_pay: ({ payableCents, currency }) => amountCell(payableCents, currency),
  to_be_deducted: ({ carriedCents, currency }) => amountCell(carriedCents, currency),
  in_payout: ({ inPayoutCents, currency }) => amountCell(inPayoutCents, currency),
  paid: ({ paidCents, currency }) => amountCell(paidCents, currency),
  currency: ({ currency }) => currency,
};

async function* balancesCsv(pages: AsyncIterable<BalancePage>): AsyncGenerator<string, undefined> {
  yield exportHead(columns);
  for await (const { balances } of pages) yield exportLines(columns, balances);
}
