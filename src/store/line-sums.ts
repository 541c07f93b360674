import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { clamped } from "#domain/money.ts";
import { type ClosingSums, type SumName, sumKinds } from "#domain/statement-sums.ts";
import { oneOf } from "./schema/one-of.ts";
import { payoutLines } from "./schema/payouts.ts";

/** The `paid` entry of the partner's previous payment in the line's currency. `what` is selected from `e`. */
export const previousPayment = (what: SQL): SQL => sql`(
  select ${what} from payout_lines b join ledger_entries e on e.payout_line_id = b.id and e.kind = 'paid'
  where b.partner_id = ${payoutLines.partnerId} and b.currency = ${payoutLines.currency}
    and b.statement_number < ${payoutLines.statementNumber} and b.statement_number is not null
  order by b.statement_number desc limit 1)`;

const names = Object.keys(sumKinds) as SumName[];

/** Selected as text, because JSON numbers above 2^53 lose digits. */
const textOf = (sum: SQLWrapper): SQL => sql`cast(coalesce(${sum}, 0) as text)`;

/**
 * The sums of the statement of a payout line. All are 0 if the line isn't paid. Reads the partner's entries since the
 * previous payment, and calculates the closing balance from the current balance.
 */
export const sumsOfLine = sql<ClosingSums>`(
  select json_object(${sql.join(
    names.map(
      (name) =>
        sql`${sql.raw(`'${name}'`)}, ${textOf(sql`sum(iif(e.id <= p.id and ${oneOf(sql`e.kind`, sumKinds[name])}, e.amount_cents, 0))`)}`,
    ),
    sql`, `,
  )}, 'closing', ${textOf(sql`(select b.pending_cents + b.payable_cents + b.in_payout_cents from partner_balances b
      where b.program_id = p.program_id and b.currency = p.currency and b.partner_id = p.partner_id)
    - sum(iif(e.id > p.id, e.amount_cents, 0))`)})
  from ledger_entries p join ledger_entries e on e.program_id = p.program_id and e.partner_id = p.partner_id
    and e.currency = p.currency and e.is_test = 0 and e.id > coalesce(${previousPayment(sql`e.id`)}, 0)
  where p.payout_line_id = ${payoutLines.id} and p.kind = 'paid')`.mapWith(sumsOfJson);

function sumsOfJson(json: string): ClosingSums {
  const texts = JSON.parse(json) as Record<SumName | "closing", string>;
  const sumOf = (name: keyof typeof texts) => BigInt(texts[name]);
  const opening = names.reduce((rest, name) => rest - sumOf(name), sumOf("closing"));
  return {
    openingCents: clamped(opening),
    earnedCents: clamped(sumOf("earned")),
    refundedCents: clamped(sumOf("refunded")),
    adjustedCents: clamped(sumOf("adjusted")),
    returnedCents: clamped(sumOf("returned")),
    paidCents: clamped(sumOf("paid")),
    closingCents: clamped(sumOf("closing")),
  };
}
