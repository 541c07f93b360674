import { desc, sql } from "drizzle-orm";
import type { BalanceSums } from "#domain/balance.ts";
import type { TimezoneChange } from "#domain/posting-days.ts";
import { type Database, readBatch } from "../database.ts";
import { approvedOfPartner, gapsOf, payoutHolding, unpaidLinesOfPartner } from "../payout-ranges.ts";
import { ledgerEntries as entries } from "../schema/commissions.ts";
import { given, readAll, readCount, readFirst } from "../statement.ts";
import { balanceOfPartner } from "../views/balances.ts";
import {
  ofAccount,
  type PartnerAccount,
  type StatementEntry,
  selectEntries,
  timezoneChanges,
} from "./partner-statement.ts";

export const partFields = ["payable", "inPayout"] as const;
export type PartField = (typeof partFields)[number];

export interface CommissionSums {
  readonly commissions: number;
  /** Sum before refunds. */
  readonly initialCents: bigint;
  readonly amountCents: bigint;
  /**
   * The part of the balance that comes from the commissions. For commissions in payouts, their sum when the payout was
   * finalized.
   */
  readonly countedCents: bigint;
}

/** Selected as text, because the libSQL client rejects integers above 2^53. */
const sumOf = (column: string) => sql`cast(coalesce(sum(${sql.raw(column)}), 0) as text)`.mapWith(BigInt);

const finalizedSum = sql`(select ${sumOf("l.commissions_cents")} from ${unpaidLinesOfPartner})`.mapWith(BigInt);

const sumsIn = (isInPayout: boolean) =>
  readFirst<PartnerAccount, CommissionSums>((db) =>
    db
      .select({
        commissions: sql<number>`count(*)`,
        initialCents: sumOf("c.initial_cents"),
        amountCents: sumOf("c.amount_cents"),
        countedCents: isInPayout ? finalizedSum : sumOf("c.amount_cents"),
      })
      .from(approvedOfPartner(isInPayout)),
  );
const sums = { payable: sumsIn(false), inPayout: sumsIn(true) };

/** At most this many of a partner's entries are searched for refunds, newest first. */
const maxSearched = 5_000;

/**
 * Finds the partner's last live line. Its amount includes all refunds, deductions and rejections before the line was
 * finalized, so only later ones are listed.
 */
const sinceLastLine = sql`(select max(l.finalized_number) from live_lines l
  where l.program_id = ${given("programId")} and l.currency = ${given("currency")} and l.partner_id = ${given("partnerId")})`;

const adjustments = sql`ledger_entries e on e.program_id = ${given("programId")} and e.currency = ${given("currency")}
  and e.partner_id = ${given("partnerId")} and e.adjustment_id is not null`;

/**
 * The ids of a partner's entries that change the payable amount without being part of a listed commission: positive
 * adjustments that no live line pays, and, since the last live line, negative adjustments and changes of commissions in
 * payouts.
 */
const openEntries = sql`
  with ${gapsOf(sql`select ${given("partnerId")}`)}
  select e.id from gap cross join ${adjustments} and e.amount_cents > 0
    and e.id > gap.from_number and e.id <= gap.to_number
  union all
  select e.id from partner cross join ${adjustments} and e.amount_cents < 0 and e.id > coalesce(${sinceLastLine}, 0)
  union all
  select n.id from (
    select ${entries.id} as id, ${entries.commissionId} as commission_id, ${entries.kind} as kind from ${entries}
    where ${ofAccount()} and ${entries.id} > ${sinceLastLine} order by ${entries.id} desc limit ${sql.raw(String(maxSearched))}
  ) n cross join commissions c on c.id = n.commission_id
  where n.kind <> 'earned' and ${payoutHolding("c")} is not null`;

const openEntriesOf = readAll<PartnerAccount & { limit: number }, StatementEntry>((db) =>
  selectEntries(db).where(sql`${entries.id} in (${openEntries})`).orderBy(desc(entries.id)).limit(given("limit")),
);

const partnerExists = readCount<Pick<PartnerAccount, "programId" | "partnerId">>((db) =>
  db
    .select({ n: sql<number>`count(*)` })
    .from(sql`partners p where p.id = ${given("partnerId")} and p.program_id = ${given("programId")}`),
);

export interface FoundParts {
  readonly partners: number;
  readonly balance: BalanceSums | undefined;
  readonly sums: CommissionSums | undefined;
  /** Newest first. Empty for the amount in payouts. */
  readonly entries: readonly StatementEntry[];
  readonly timezoneChanges: readonly TimezoneChange[];
}

/** Reads what makes up a partner's payable amount or the amount in payouts. Makes one database request. */
export const readBalanceParts = (
  database: Database,
  account: PartnerAccount,
  field: PartField,
  limit: number,
): Promise<FoundParts> => {
  const { programId, partnerId } = account;
  return readBatch(database, {
    partners: partnerExists({ programId, partnerId }),
    balance: balanceOfPartner(account),
    sums: sums[field](account),
    entries: openEntriesOf({ ...account, limit: field === "payable" ? limit : 0 }),
    timezoneChanges: timezoneChanges({ programId }),
  });
};
