import { NewAdjustment } from "#api/adjustments.ts";
import { BalanceTotals, balanceColumns, balanceCursors, balanceRecord, balanceReply } from "#api/balances.ts";
import { downloadPages } from "#api/download-pages.ts";
import { exportHeaders, format, okOrFile } from "#api/export-file.ts";
import { readFromDatabase } from "#api/read-database.ts";
import { currencyOrUnit, unitsOf } from "#api/units.ts";
import { dayIn } from "#domain/calendar.ts";
import { ok } from "#domain/result.ts";
import { runOperation } from "#http/call-ledger.ts";
import { body, created, createRoute, endpoint, refusals, refuse, returns, withJsonBody } from "#http/endpoint.ts";
import { cursorMessage, PageMeta } from "#http/schema/cursor.ts";
import * as fields from "#http/schema/form-fields.ts";
import { id, int64 } from "#http/schema/integers.ts";
import { instant, record } from "#http/schema/record.ts";
import * as z from "#http/schema/zod.ts";
import { textStream } from "#http/text-stream.ts";
import { readBalances } from "#store/views/balance-totals.ts";
import {
  type BalancePosition,
  type BalanceView,
  balanceSorts,
  listBalances as readPage,
  sortedCents,
} from "#store/views/balances.ts";
import { actingMember } from "./actor.ts";
import { memberRefusals, programMember, reauthenticated } from "./guards.ts";
import { PartnerPath, ProgramPath } from "./params.ts";
import { proposable, proposableRefusals } from "./proposed.ts";

const pageSizes = { json: 50, csv: 500 };

const Query = z
  .object({
    cursor: balanceCursors.parameter(),
    currency: currencyOrUnit().optional().describe("Lists only balances in this currency."),
    sort: fields
      .oneOf("sort", balanceSorts)
      .optional()
      .describe(
        "`currency` (default): by currency and partner. `payable`, `pending`, `inPayout`: by currency, then the highest amount to pay, on hold or in payouts first. `carried`: by currency, then the highest amount to be deducted first.",
      ),
    nonzero: fields
      .oneOf("nonzero", ["true"])
      .optional()
      .describe("Leaves out the balances in which the amount of `sort` is 0. Needs a `sort` by amount."),
    format: format(),
  })
  .refine(...fields.rule(["nonzero"], "nonzero needs a sort by amount", isByAmount))
  .refine(...fields.rule(["cursor"], cursorMessage, isOfThisSort));

interface ListQuery {
  readonly sort?: unknown;
  readonly nonzero?: unknown;
  readonly cursor?: { readonly sort: string; readonly nonzero: boolean } | undefined;
}

function isByAmount({ sort = "currency", nonzero }: ListQuery): boolean {
  return nonzero === undefined || sort !== "currency";
}

function isOfThisSort({ sort = "currency", nonzero, cursor }: ListQuery): boolean {
  return cursor === undefined || (cursor.sort === sort && cursor.nonzero === (nonzero !== undefined));
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
    const { cursor, currency, sort = "currency", nonzero, format = "json" } = c.req.valid("query");
    const { id: programId, timezone } = c.get("program");
    const known = await unitsOf(c, programId, currency);
    if (!known.ok) return refuse(c, known.refusal);
    const size = pageSizes[format];
    const isNonzero = nonzero !== undefined;
    const list = { programId, currency, sort, isNonzero, after: cursor, limit: size + 1 };
    const pageOf = (found: readonly BalanceView[]) => {
      const positionOf = (balance: BalanceView) => ({
        sort,
        nonzero: isNonzero,
        currency: balance.currency,
        partnerId: balance.partnerId,
        cents: sortedCents(balance, sort),
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

const adjustmentRecord = record("Adjustment", {
  id: id(),
  partnerId: id(),
  amountCents: int64(),
  currency: z.string(),
  reason: z.string().nullable(),
  partnerNote: z.string().nullable(),
  reference: z.string(),
  createdAt: instant(),
});
const AdjustmentReply = z.object({ data: adjustmentRecord.schema });

export const createAdjustment = endpoint({
  route: createRoute({
    method: "post",
    path: "/programs/{programId}/partners/{partnerId}/adjustments",
    operationId: "createAdjustment",
    tags: ["Payouts"],
    summary: "Create an adjustment",
    description:
      "A bonus or a write-off that isn't tied to a sale. It is approved at once and included in the partner's " +
      "next payout. An adjustment is never changed: correct it with another one. For an erased partner, it can " +
      "only settle an open balance.",
    ...proposable(reauthenticated(withJsonBody(programMember("admin")))),
    request: { params: PartnerPath, body: body(NewAdjustment) },
    responses: {
      ...created("Adjustment created", AdjustmentReply),
      ...returns("Already created with this reference", AdjustmentReply),
      ...refusals(["reauthenticate", ...proposableRefusals, "placeholder_id", "adjustment_conflict", "partner_erased"]),
    },
  }),
  handler: async (c) => {
    const { partnerId } = c.req.valid("param");
    const create = { ...actingMember(c), kind: "create-adjustment", partnerId, ...c.req.valid("json") } as const;
    const known = await unitsOf(c, create.programId, create.currency);
    if (!known.ok) return refuse(c, known.refusal);
    const outcome = await runOperation(c, create);
    if (!outcome.ok) return refuse(c, outcome.refusal);
    const { adjustment, isNew } = outcome.answer;
    return c.json({ data: adjustmentRecord.reply(adjustment) }, isNew ? 201 : 200);
  },
});
