import { and, eq, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { HeldBy, ShownStatus } from "#domain/commission-status.ts";
import type { PartnerId, PayoutId, ProgramId } from "#domain/ids.ts";
import { idsPerRange } from "#domain/shard.ts";
import { writerName } from "./fenced-row.ts";
import { lastNumber, payoutRanges } from "./schema/payouts.ts";
import { given, readFirst, write } from "./statement.ts";

const range = sql.raw(String(idsPerRange));
const lastOfRange = sql.raw(String(idsPerRange - 1));

const endsBehind = (c: string): string => `r.program_id = ${c}.program_id and r.currency = ${c}.currency
  and r.partner_id = ${c}.partner_id and ${c}.is_test = 0 and r.to_number >= ${c}.payable_number`;
const beginsBefore = (c: string): string => `r.from_number < ${c}.payable_number
  and (${c}.status = 'approved' or ${c}.reversed_number > p.finalized_number)`;

/**
 * True if the live line with range `r` pays commission `c`. Both have the same partner and currency, and the range
 * contains the commission's payable number. A commission that was fully reversed before payout `p` was finalized isn't
 * in the line.
 */
export const isHolding = (c: string): SQL => sql.raw(`${endsBehind(c)} and ${beginsBefore(c)}`);

/** Ranges don't overlap, so only the first range that ends at or after the number can contain it. */
const ofHolder = (value: string, c: string): SQL =>
  sql.raw(`(
  select iif(${beginsBefore(c)}, ${value}, null) from payout_ranges r join payouts p on p.id = r.payout_id
  where ${endsBehind(c)} order by r.to_number limit 1)`);

const settledLine = (partnerId: string): string => `exists (
  select 1 from payout_lines l where l.payout_id = p.id and l.partner_id = ${partnerId} and l.settled_at is not null)`;

/**
 * True if the partner's live line in payout `p` is paid. A person pays all lines of a payout at once. If the payout is
 * settled by API, each line has its own settlement.
 */
export const isLinePaid = (partnerId: string): SQL =>
  sql.raw(`iif(p.settled_by = 'api', ${settledLine(partnerId)}, p.status = 'paid')`);

/** `c` is the alias of `commissions` in the query. */
export const heldBy = (c = "commissions") =>
  sql<HeldBy | null>`${ofHolder(`iif(p.settled_by = 'api', iif(${settledLine("r.partner_id")}, 'paid', 'final'), p.status)`, c)}`;
export const payoutHolding = (c = "commissions") => sql<number | null>`${ofHolder("p.id", c)}`;

/** The SQL counterpart of the domain's `shownStatus`. */
export const shownAs = (own: SQLWrapper, held: SQLWrapper) =>
  sql<ShownStatus>`case ${held} when 'paid' then 'paid' when 'final' then 'approved' else ${own} end`;

export const shownStatusOf = (c = "commissions") => {
  const own = sql.raw(`${c}.status`);
  return sql<ShownStatus>`iif(${own} in ('approved', 'reversed'), ${shownAs(own, heldBy(c))}, ${own})`;
};

/**
 * CTEs. `partner` has the ids that the query `partners` selects. `gap` has each partner's ranges of ledger numbers that
 * no live line pays: after `from_number`, up to and including `to_number`. The placeholders are `programId` and
 * `currency`.
 */
export const gapsOf = (partners: SQL): SQL => sql`
  partner(id) as (${partners}),
  gap(partner_id, from_number, to_number) as (
    select partner.id, coalesce(g.from_number, 0), coalesce(g.to_number, ${sql.raw(String(lastNumber))})
    from partner left join payout_gaps g
      on g.program_id = ${given("programId")} and g.currency = ${given("currency")} and g.partner_id = partner.id
  )`;

const ofAccount = (table: string) => sql`${sql.raw(table)}.program_id = ${given("programId")}
  and ${sql.raw(table)}.currency = ${given("currency")} and ${sql.raw(table)}.partner_id = ${given("partnerId")}`;

/**
 * A subquery with alias `c`: a partner's approved commissions in one currency, either those in live lines that aren't
 * paid, or those in no live line. The commissions of earlier payouts aren't read. The placeholders are `programId`,
 * `partnerId` and `currency`.
 */
export const approvedOfPartner = (isInPayout: boolean): SQL =>
  isInPayout
    ? sql`(select c.* from payout_ranges r cross join payouts p on p.id = r.payout_id
        cross join commissions c on ${isHolding("c")}
        where ${ofAccount("r")} and not ${isLinePaid("r.partner_id")}) c`
    : sql`(with ${gapsOf(sql`select ${given("partnerId")}`)}
        select c.* from gap cross join commissions c on ${ofAccount("c")} and c.is_test = 0 and c.status = 'approved'
          and c.payable_number > gap.from_number and c.payable_number <= gap.to_number) c`;

/** The partner's lines that are in payouts and not paid yet. The placeholders are `programId`, `partnerId` and `currency`. */
export const unpaidLinesOfPartner = sql`payout_lines l where l.partner_id = ${given("partnerId")} and l.state = 'live'
  and l.payout_id in (select r.payout_id from payout_ranges r cross join payouts p on p.id = r.payout_id
    where ${ofAccount("r")} and not ${isLinePaid("r.partner_id")})`;

/** Inserts, for each live line of the payout, all ranges of ledger numbers up to the cutoff that no other line pays. */
export const insertRanges = write<{ programId: ProgramId; currency: string; payoutId: PayoutId; cut: number }>((db) => {
  const lines = sql`select partner_id from payout_lines where payout_id = ${given("payoutId")} and state = 'live'`;
  return db.insert(payoutRanges).select(sql`with ${gapsOf(lines)}
    select ${given("programId")}, ${given("currency")}, partner_id, min(to_number, ${given("cut")}), from_number, ${given("payoutId")}
    from gap where from_number < ${given("cut")}`);
});

export const deleteRanges = write<{ payoutId: PayoutId }>((db) =>
  db.delete(payoutRanges).where(eq(payoutRanges.payoutId, given("payoutId"))),
);

export const deleteRangesOfLine = write<{ payoutId: PayoutId; partnerId: PartnerId }>((db) =>
  db
    .delete(payoutRanges)
    .where(and(eq(payoutRanges.payoutId, given("payoutId")), eq(payoutRanges.partnerId, given("partnerId")))),
);

/** Deletes the ranges of the payout's lines that were given back, so that their amounts are payable again. */
export const deleteRangesGivenBack = write<{ payoutId: PayoutId }>((db) =>
  db.delete(payoutRanges).where(
    and(
      eq(payoutRanges.payoutId, given("payoutId")),
      sql`${payoutRanges.partnerId} in (
        select l.partner_id from payout_lines l where l.payout_id = ${given("payoutId")} and l.state = 'failed')`,
    ),
  ),
);

/**
 * The cutoff at an instant: the last ledger number assigned up to then. Entries are ordered by instant, so a binary
 * search finds the last entry. An approval after that entry is compared by its own instant. Numbers of different shards
 * aren't ordered by time. The search therefore covers only the program's entries if the program has been migrated, and
 * otherwise only this shard's ranges of ids.
 */
export const cutAt = readFirst<{ programId: ProgramId; currency: string; until: number | null }, { cut: number }>(
  (db) => {
    const until = given("until");
    const ofShard = (upTo: SQL) => sql`(
    select max((select e.id from ledger_entries e where e.id between own.first and min(${upTo}, own.first + ${lastOfRange})
      order by e.id desc limit 1)) from own)`;
    const ofProgram = (upTo: SQL) => sql`(
    select e.id from ledger_entries e where e.program_id = ${given("programId")} and e.id <= ${upTo}
      order by e.id desc limit 1)`;
    const hasMoved = sql`exists (select 1 from programs where id = ${given("programId")} and move_id is not null)`;
    const lastEntry = (upTo: SQL) => sql`iif(${hasMoved}, ${ofProgram(upTo)}, ${ofShard(upTo)})`;
    const isLater = (number: string) => sql`coalesce((
    select e.created_at from ledger_entries e where e.id = ${lastEntry(sql.raw(`((${number}) / 2)`))}
  ) > ${until}, 0)`;
    const mid = sql.raw("(before + later) / 2");
    // Each step computes the middle of the next step's interval, so that it is computed once.
    const found = sql`with recursive newest(number) as (
    select coalesce(max(number), 0) from ledger_writers where name = ${sql.raw(`'${writerName}'`)}
  ),
  own(first) as (
    select coalesce(max(number), 0) * ${range} from shard_identity where number >= 0
    union all select id from id_floors where id >= ${range} and id % ${range} = 0
  ),
  search(before, later, is_mid_later) as (
    select 0, number + 1, ${isLater("number + 1")} from newest where ${until} is not null
    union all
    select iif(is_mid_later, before, ${mid}), iif(is_mid_later, ${mid}, later),
      iif(is_mid_later, ${isLater(`before + (before + later) / 2`)}, ${isLater(`(before + later) / 2 + later`)})
    from search where later - before > 1
  ),
  entries(last, next) as (
    select coalesce(${lastEntry(sql.raw("later - 1"))}, 0), later from search where later - before <= 1
  )
  select coalesce((
    select c.payable_number from commissions c
    where c.program_id = ${given("programId")} and c.currency = ${given("currency")} and c.is_test = 0
      and c.payable_number > last and c.payable_number < next and c.approved_at > ${until}
    order by c.payable_number limit 1
  ), next) - 1 as cut from entries
  union all select number from newest where ${until} is null`;
    return db.select({ cut: sql<number>`cut` }).from(sql`(${found})`);
  },
);
