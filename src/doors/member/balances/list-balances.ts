import { readFromDatabase } from "#api/read-database.ts";
import { dayIn } from "#domain/calendar.ts";
import { ok } from "#domain/result.ts";
import { createRoute, endpoint, refusals, refuse } from "#http/endpoint.ts";
import { cursorMessage, PageMeta } from "#http/schema/cursor.ts";
import * as fields from "#http/schema/form-fields.ts";
import * as z from "#http/schema/zod.ts";
import { textStream } from "#http/text-stream.ts";
import { readBalances } from "#store/views/balance-totals.ts";
import {
  type BalancePosition,
  type BalanceView,
  balanceSorts,
  listBalances as readPage,
} from "#store/views/balances.ts";
import { actingMember } from "../actor.ts";
import { downloadPages } from "../download-pages.ts";
import { exportHeaders, format, okOrFile } from "../export-file.ts";
import { memberRefusals, programMember } from "../guards.ts";
import { ProgramPath } from "../params.ts";
import { BalanceTotals, balanceColumns, balanceCursors, balanceRecord, balanceReply } from "./balance-record.ts";

const pageSizes = { json: 50, csv: 500 };

const Query = z
  .object({
    cursor: balanceCursors.parameter(),
    currency: fields.currency("currency").optional().describe("Lists only balances in this currency."),
    sort: fields
      .oneOf("sort", balanceSorts)
      .optional()
      .describe(
        "`currency` (default): by currency and partner. `payable`: by currency, then the highest amount to pay first.",
      ),
    format: format(),
  })
  .refine(...fields.rule(["cursor"], cursorMessage, isOfThisSort));

function isOfThisSort({
  sort = "currency",
  cursor,
}: {
  readonly sort?: unknown;
  readonly cursor?: { readonly sort: string } | undefined;
}): boolean {
  return cursor === undefined || cursor.sort === sort;
}

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
      ...okOrFile(
        `Balances, ${pageSizes.json} per page`,
        z.object({ data: z.array(balanceRecord.schema), meta: BalanceMeta }),
        balanceColumns,
      ),
      ...refusals([...memberRefusals, "invalid_input", "download_running", "cross_site"]),
    },
  }),
  handler: async (c) => {
    const { cursor, currency, sort = "currency", format = "json" } = c.req.valid("query");
    const { id: programId, timezone } = c.get("program");
    const size = pageSizes[format];
    const list = { programId, currency, sort, after: cursor, limit: size + 1 };
    const pageOf = (found: readonly BalanceView[]) => {
      const positionOf = ({ currency, partnerId, payableCents }: BalanceView) => ({
        sort,
        currency,
        partnerId,
        payableCents: String(payableCents),
      });
      const { page, ...rest } = balanceCursors.pageOf(found, size, positionOf);
      return { ...rest, page: page.map(balanceReply) };
    };
    if (format === "json") {
      const read = await readFromDatabase(c, "program", (database) =>
        readBalances(database, list, { timezone, at: c.get("call").at }),
      );
      if (!read.ok) return refuse(c, read.refusal);
      const { page, meta } = pageOf(read.value.found);
      return c.json({ data: page, meta: { ...meta, totals: [...read.value.totals] } }, 200);
    }
    const readFrom = async (after: BalancePosition | undefined) => {
      const read = await readFromDatabase(c, "program", (database) => readPage(database, { ...list, after }));
      return read.ok ? ok(pageOf(read.value)) : read;
    };
    const file = await downloadPages(c, actingMember(c), balanceColumns, readFrom);
    if (!file.ok) return refuse(c, file.refusal);
    const headers = exportHeaders(c.get("program"), "balances", currency, dayIn(timezone, c.get("call").at));
    return c.body(textStream(file.value.parts), 200, headers);
  },
});
