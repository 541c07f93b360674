import { balanceOf } from "../../../domain/balance.ts";
import { ok, type Result } from "../../../domain/result.ts";
import type { Ctx } from "../../../http/context.ts";
import { csvLine } from "../../../http/csv.ts";
import { createRoute, endpoint, refusals, refuse, refuseInvalid } from "../../../http/endpoint.ts";
import { PageMeta } from "../../../http/schema/cursor.ts";
import * as fields from "../../../http/schema/form-fields.ts";
import * as z from "../../../http/schema/zod.ts";
import { textStream } from "../../../http/text-stream.ts";
import { type BalancePosition, type BalanceView, listBalances as list } from "../../../store/views/balances.ts";
import { readFromDatabase } from "../../read-database.ts";
import { allPages, csvHeaders } from "../all-pages.ts";
import { memberRefusals, programMember } from "../guards.ts";
import { ProgramPath } from "../params.ts";
import { balanceCursor, cursorAfter } from "./balance-cursor.ts";

const pageSizes = { json: 50, csv: 500 };

const Query = z.object({
  cursor: balanceCursor(),
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

export const listBalances = endpoint({
  route: createRoute({
    method: "get",
    path: "/programs/{programId}/balances",
    operationId: "listBalances",
    tags: ["Payouts"],
    summary: "List partner balances",
    description:
      "One balance for each partner and currency, by currency and partner. A partner's balance is `pendingCents` + " +
      "`payableCents` + `inPayoutCents` + `carriedCents`. Amounts are in the currency's smallest unit and never converted. " +
      "Test events are not counted.",
    ...programMember("viewer"),
    request: { params: ProgramPath, query: Query },
    responses: {
      200: {
        description: `Balances, ${pageSizes.json} per page`,
        content: {
          "application/json": { schema: z.object({ data: z.array(BalanceReply), meta: PageMeta }) },
          "text/csv": { schema: z.string() },
        },
      },
      ...refusals([...memberRefusals, "invalid_input"]),
    },
  }),
  hook: refuseInvalid(Query),
  handler: async (c) => {
    const { cursor = start, format = "json" } = c.req.valid("query");
    const readFrom = (after: BalancePosition) => readPage(c, c.get("program").id, after, pageSizes[format]);
    const first = await readFrom(cursor);
    if (!first.ok) return refuse(c, first.refusal);
    const { balances, next } = first.value;
    const nextCursor = next === undefined ? null : cursorAfter(next);
    if (format === "json") return c.json({ data: balances, meta: { nextCursor } }, 200);
    return c.body(textStream(balancesCsv(allPages(first.value, readFrom))), 200, csvHeaders("balances"));
  },
});

const start: BalancePosition = { currency: "", partnerId: 0 };

interface BalancePage {
  readonly balances: BalanceReply[];
  readonly next: BalancePosition | undefined;
}

async function readPage(c: Ctx, programId: number, after: BalancePosition, size: number): Promise<Result<BalancePage>> {
  const found = await readFromDatabase(c, (database) => list(database, programId, after, size + 1));
  if (!found.ok) return found;
  const balances = found.value.slice(0, size).map(balanceReply);
  return ok({ balances, next: found.value.length > size ? balances.at(-1) : undefined });
}

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
