import { and, eq, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { BonusId, ProgramId } from "#domain/ids.ts";
import { maxCounted } from "#domain/to-do.ts";
import { firstMonthOf, lastMonthOf, periodOfMonth } from "./months-of-period.ts";
import { bonuses, dueBonuses } from "./schema/bonuses.ts";
import { largestInteger } from "./schema/columns.ts";
import { given, readAll, unencoded, write } from "./statement.ts";

/**
 * The partner's approved sales in the period of bonus `b` that contains `month`: their number, or their sum in the
 * bonus's currency of sales.
 */
export const countOfBonus = (partner: SQLWrapper, month: SQLWrapper): SQL<number> =>
  sql<number>`coalesce((
    select min(${largestInteger}, sum(
      iif(b.metric = 'sales', c.approved_sales, iif(c.currency = b.sales_currency, c.approved_revenue_cents, 0))))
    from tier_counts c
    where c.program_id = b.program_id and c.is_test = 0 and c.partner_id = ${partner}
      and c.month between ${firstMonthOf(sql`b.period`, month)} and ${lastMonthOf(sql`b.period`, month)}), 0)`;

/** The instant (ms) of the partner's adjustment with the reference of the award of bonus `b`. Null if there is none. */
export const awardedAt = (partner: SQLWrapper, period: SQLWrapper): SQL<number | null> =>
  sql<number | null>`(
    select a.created_at from adjustments a
    where a.program_id = b.program_id and a.partner_id = ${partner} and a.reference = 'bonus:' || b.id || ':' || ${period})`;

/**
 * True if the bonus was awarded to the partner for the period. An older adjustment, recorded by an earlier version of
 * the service before the bonus existed, may have the same reference but isn't an award.
 */
const isAwarded = (partner: SQLWrapper, period: SQLWrapper): SQL =>
  sql`coalesce(${awardedAt(partner, period)} >= b.created_at, 0)`;

const month = sql`m.value ->> 1`;
const partner = sql`m.value ->> 0`;
const period = periodOfMonth(sql`b.period`, month);

/**
 * Rows of `due_bonuses` for `months`: one for each partner, period and undismissed bonus for which the condition
 * `isDue` is true.
 */
const bonusesOfMonths = (isDue: SQL): SQL =>
  sql`select distinct b.program_id, ${lastMonthOf(sql`b.period`, month)}, b.id, p.id
    from json_each(${given("months")}) m
      cross join bonuses b on b.program_id = ${given("programId")} and b.dismissed_at is null
        and ${period} between b.from_period and coalesce(b.until_period, '9999-Q4')
      cross join partners p on p.id = ${partner} and p.erasure_id is null and not p.is_synthetic
    where ${isDue}`;

const isReached = sql`(${countOfBonus(partner, month)} >= b.threshold and not ${isAwarded(partner, period)})`;

/** `months` is a JSON array of `[partnerId, month]`. */
type Months = { programId: ProgramId; months: string };

const addDue = write<Months>((db) => db.insert(dueBonuses).select(bonusesOfMonths(isReached)).onConflictDoNothing());

const removeDue = write<Months>((db) =>
  db
    .delete(dueBonuses)
    .where(sql`(program_id, last_month, bonus_id, partner_id) in (${bonusesOfMonths(sql`not ${isReached}`)})`),
);

/**
 * Adds and removes rows of `due_bonuses` for the partners and months in `months`, by comparing their counts with the
 * bonuses again.
 */
export const refreshDue = (months: Months) => [addDue(months), removeDue(months)];

/** The programs that have or had bonuses, among `programs`, which is a JSON array of ids. */
export const programsWithBonuses = readAll<{ programs: string }, { readonly programId: ProgramId }>((db) =>
  db
    .select({ programId: sql<ProgramId>`p.value` })
    .from(sql`json_each(${given("programs")}) p`)
    .where(sql`exists (select 1 from ${bonuses} b where b.program_id = p.value)`),
);

/**
 * The oldest due bonuses whose period ends before `month`, as `due`, each with its bonus `b`. Reads one row more than
 * the to-do list counts, which shows whether there are more.
 */
export const dueBefore = sql`(select d.last_month, d.bonus_id from due_bonuses d
  where d.program_id = ${unencoded("programId")} and d.last_month < ${unencoded("month")}
  order by d.last_month limit ${sql.raw(String(maxCounted + 1))}) due
  cross join bonuses b on b.id = due.bonus_id`;

/** `rows` is a JSON array of `[bonusId, partnerId]`. */
export const removeAwarded = write<{ programId: ProgramId; lastMonth: string; rows: string }>((db) =>
  db.delete(dueBonuses).where(
    sql`program_id = ${unencoded("programId")} and last_month = ${unencoded("lastMonth")}
        and (bonus_id, partner_id) in (select r.value ->> 0, r.value ->> 1 from json_each(${given("rows")}) r)`,
  ),
);

/** Removes the rows of a dismissed bonus. */
export const removeDueOf = write<{ programId: ProgramId; bonusId: BonusId }>((db) =>
  db
    .delete(dueBonuses)
    .where(and(eq(dueBonuses.programId, given("programId")), eq(dueBonuses.bonusId, given("bonusId")))),
);
