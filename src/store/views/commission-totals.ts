import { type SQL, sql } from "drizzle-orm";
import type { Book } from "#domain/book.ts";
import { commissionStatuses, type ShownStatus } from "#domain/commission-status.ts";
import { type Database, readOne } from "../database.ts";
import { shownStatusOf } from "../payout-ranges.ts";
import { type Compiler, type RowOf, readAll } from "../statement.ts";
import type { CommissionFilter } from "./commission-filter.ts";
import {
  heldByPayout,
  inBook,
  ofPartner,
  ofPayout,
  oneOf,
  type Scope,
  scopeOf,
  soldInDays,
  statusInPayout,
} from "./commission-list.ts";

/** Selected as text, because the libSQL client rejects integers above 2^53. */
const sumOf = (column: string) => sql`cast(sum(${sql.raw(column)}) as text)`.mapWith(BigInt);

const selectTotals = (db: Compiler, from: SQL) =>
  db
    .select({
      status: sql<ShownStatus>`c.status`,
      /** Set only for `void` commissions. */
      reason: sql<string | null>`c.reason`,
      currency: sql<string>`c.currency`,
      count: sql<number>`count(*)`,
      amountCents: sumOf("c.amount_cents"),
      initialCents: sumOf("c.initial_cents"),
      unconfirmed: sql<number>`sum(c.is_unconfirmed)`,
      unconfirmedCents: sumOf("iif(c.is_unconfirmed, c.amount_cents, 0)"),
      held: sql<number>`sum(c.is_held)`,
      heldCents: sumOf("iif(c.is_held, c.amount_cents, 0)"),
    })
    .from(from)
    .groupBy(sql`c.status, c.reason, c.currency`)
    .orderBy(sql`c.status, c.reason, c.currency`);
type CommissionTotal = RowOf<typeof selectTotals>;

const totalsOf = (from: SQL) => readAll<Scope, CommissionTotal>((db) => selectTotals(db, from));

const countedAs = (status: SQL) => sql`${status} as status, c.reason, c.currency, c.amount_cents, c.initial_cents,
  c.is_unconfirmed, c.status = 'pending' and c.held_at is not null as is_held`;

const counted = countedAs(shownStatusOf("c"));

const totalsOfAll = totalsOf(sql`(select ${counted} from commissions c
  where ${inBook("c")} and c.status in ${oneOf(commissionStatuses)} and ${ofPartner("c")}) c`);

const totalsInDays = totalsOf(sql`(select ${counted} from sales s cross join commissions c on c.sale_id = s.id
  where ${inBook("s")} and ${soldInDays()} and ${ofPartner("s")}) c`);

const countedInPayout = countedAs(statusInPayout);

const totalsOfPayout = totalsOf(sql`(select ${countedInPayout} from ${heldByPayout()} where ${ofPayout()}) c`);

const totalsOfPayoutInDays = totalsOf(sql`(select ${countedInPayout} from ${heldByPayout()}
  cross join sales s on s.id = c.sale_id where ${ofPayout()} and ${soldInDays()}) c`);

export async function readCommissionTotals(
  database: Database,
  book: Book,
  filter: Pick<CommissionFilter, "partnerId" | "payoutId" | "days">,
): Promise<readonly CommissionTotal[]> {
  const [whole, inDays] =
    filter.payoutId === undefined ? [totalsOfAll, totalsInDays] : [totalsOfPayout, totalsOfPayoutInDays];
  const totals = filter.days === undefined ? whole : inDays;
  return await readOne(database, totals(scopeOf(book, filter)));
}
