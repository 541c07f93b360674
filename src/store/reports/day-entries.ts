import { and, asc, eq, sql } from "drizzle-orm";
import type { CommissionId, PartnerId, ProgramId, SaleId } from "#domain/ids.ts";
import { shownStatusOf } from "../payout-ranges.ts";
import { isReplacedSale } from "../sales.ts";
import { commissions, ledgerEntries as entries } from "../schema/commissions.ts";
import { sales } from "../schema/sales.ts";
import { isHeld } from "../signals.ts";
import { type Compiler, given, type RowOf, readAll } from "../statement.ts";

type DayQuery = {
  programId: ProgramId;
  partnerId: PartnerId;
  currency: string;
  day: string;
  limit: number;
};

const selectEntries = (db: Compiler) =>
  db
    .select({
      kind: entries.kind,
      amountCents: entries.amountCents,
      commissionId: sql<CommissionId>`${commissions.id}`,
      saleId: sql<SaleId>`${sales.id}`,
      transactionId: sales.transactionId,
      saleDate: sales.day,
      status: shownStatusOf(),
      held: isHeld,
    })
    .from(entries)
    .innerJoin(commissions, eq(commissions.id, entries.commissionId))
    .innerJoin(sales, eq(sales.id, commissions.saleId));
export type DayEntry = RowOf<typeof selectEntries>;

/** The partner's live ledger entries that the day's figures include, except those of corrected sales. */
export const dayEntries = readAll<DayQuery, DayEntry>((db) =>
  selectEntries(db)
    .where(
      and(
        sql`${entries.programId} = ${given("programId")} and ${entries.partnerId} = ${given("partnerId")}`,
        sql`${entries.currency} = ${given("currency")} and ${entries.isTest} = 0 and ${entries.day} = ${given("day")}`,
        sql`not ${isReplacedSale}`,
      ),
    )
    .orderBy(asc(entries.id))
    .limit(given("limit")),
);
