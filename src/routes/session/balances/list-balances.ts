import { balanceOf } from "../../../domain/balance.ts";
import { ok, type Result } from "../../../domain/result.ts";
import { csvLine } from "../../../http/csv.ts";
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
import { allPages, csvHeaders } from "../all-pages.ts";
import { memberRefusals, programMember } from "../guards.ts";
import { ProgramPath } from "../params.ts";
import { balanceCursor, cursorAfter } from "./balance-cursor.ts";

const pageSizes = { json: 50, csv: 500 };

const Query = z.object({
  cursor: balanceCursor(),
  currency: fields.currency("currency").optional().describe("Lists only balances in this currency."),
  sort: fields
    .oneOf("sort", balanceSorts)
    .optional()
    .describe("`currency` (default): by currency and partner. `payable`: by currency, then the highest payable first."),
  format: fields
    .oneOf("format", ["json", "csv"])
    .optional()
    .openapi({ description: "`csv` returns all pages in one file." }),
});

const cents = (description: string) => z.int().describe(description);

const BalanceReply = z
  .object({
    partnerId: z.int(),
    name: z.string(),
    currency: z.string(),
    pendingCents: cents("Commissions on hold or unconfirmed."),
    payableCents: cents("Approved and in no payout. 0 if more was reversed than earned."),
    inPayoutCents: cents("Reserved by payouts that are final but not paid."),
    paidCents: cents("Paid so far, less returned payments."),
    carriedCents: cents("Negative amount that the partner's next commissions make up for, or 0."),
  })
  .openapi("Balance");

type BalanceReply = z.output<typeof BalanceReply>;

const { partnerId: _, name: __, ...amounts } = BalanceReply.shape;

const BalanceTotals = z
  .object({
    ...amounts,
    paidThisYearCents: cents("Paid this year in the program's time zone, by `paidAt`, less returned payments."),
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
    return c.body(textStream(balancesCsv(allPages(first.value, readFrom))), 200, csvHeaders("balances"));
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

const positionOf = ({ currency, partnerId, netCents, freedCents }: BalanceView): BalancePosition => ({
  currency,
  partnerId,
  netCents: String(netCents + freedCents),
});

const balanceReply = ({ partnerId, name, currency, ...sums }: BalanceView): BalanceReply => ({
  partnerId,
  name,
  currency,
  ...balanceOf(sums),
});

const columns = Object.keys(BalanceReply.shape) as (keyof BalanceReply)[];

async function* balancesCsv(pages: AsyncIterable<BalancePage>): AsyncGenerator<string, undefined> {
  yield csvLine(columns);
  for await (const { balances } of pages) {
    yield balances.map((balance) => csvLine(columns.map((name) => balance[name]))).join("");
  }
}
