import { and, desc, eq, lt, sql } from "drizzle-orm";
import type { BonusId, PartnerId, ProgramId } from "#domain/ids.ts";
import type { TierMetric, TierPeriod } from "#domain/tiers.ts";
import type { BonusRow } from "../bonuses.ts";
import { type Database, readBatch, readOne } from "../database.ts";
import { countOfBonus, dueBefore } from "../due-bonuses.ts";
import { isFirstLink } from "../partners.ts";
import { bonuses } from "../schema/bonuses.ts";
import { partners, referralLinks } from "../schema/partners.ts";
import { type Compiler, given, type RowOf, readAll, unencoded } from "../statement.ts";

const bonusesOfProgram = readAll<{ programId: ProgramId; before: number; limit: number }, BonusRow>((db) =>
  db
    .select()
    .from(bonuses)
    .where(and(eq(bonuses.programId, given("programId")), lt(bonuses.id, given("before"))))
    .orderBy(desc(bonuses.id))
    .limit(given("limit")),
);

/** A period that is over, with partners to whom bonuses are due. */
interface DuePeriod {
  readonly kind: TierPeriod;
  readonly lastMonth: string;
  readonly count: number;
}

/** Newest period first. */
const duePeriods = readAll<{ programId: ProgramId; month: string }, DuePeriod>((db) =>
  db
    .select({
      kind: sql<TierPeriod>`b.period`,
      lastMonth: sql<string>`due.last_month`,
      count: sql<number>`count(*)`,
    })
    .from(dueBefore)
    .groupBy(sql`due.last_month, b.period`)
    .orderBy(sql`due.last_month desc, b.period`),
);

interface ListedBonuses {
  readonly found: readonly BonusRow[];
  readonly periods: readonly DuePeriod[];
}

/** Reads a page of bonuses, newest first, and the periods with due bonuses. `month` is the current month. */
export const listBonuses = async (
  database: Database,
  { month, ...page }: { programId: ProgramId; before: number; limit: number; month: string },
): Promise<ListedBonuses> =>
  await readBatch(database, {
    found: bonusesOfProgram(page),
    periods: duePeriods({ programId: page.programId, month }),
  });

const selectDue = (db: Compiler) =>
  db
    .select({
      bonusId: sql<BonusId>`due.bonus_id`,
      partnerId: sql<PartnerId>`due.partner_id`,
      partnerCode: referralLinks.code,
      partnerName: partners.name,
      metric: sql<TierMetric>`due.metric`,
      salesCurrency: sql<string | null>`due.sales_currency`,
      count: sql<number>`due.counted`,
      amountCents: sql<number>`due.amount_cents`,
      currency: sql<string>`due.currency`,
    })
    .from(
      sql`(select b.id as bonus_id, b.metric, b.sales_currency, b.amount_cents, b.currency, d.partner_id,
          ${countOfBonus(sql`d.partner_id`, sql`d.last_month`)} as counted
        from bonuses b
          cross join due_bonuses d on d.program_id = b.program_id and d.last_month = ${given("lastMonth")}
            and d.bonus_id = b.id and d.partner_id > iif(b.id = ${unencoded("bonusId")}, ${unencoded("partnerId")}, 0)
        where b.program_id = ${given("programId")} and b.period = ${given("period")} and b.id >= ${unencoded("bonusId")}
          and counted >= b.threshold
        order by b.id, d.partner_id limit ${given("limit")}) due`,
    )
    .innerJoin(partners, sql`${partners.id} = due.partner_id`)
    .innerJoin(referralLinks, isFirstLink)
    .orderBy(sql`due.bonus_id, due.partner_id`);
type DueBonus = RowOf<typeof selectDue>;

interface DueQuery extends Record<string, unknown> {
  readonly programId: ProgramId;
  readonly period: TierPeriod;
  readonly lastMonth: string;
  /** The last row of the previous page. */
  readonly bonusId: BonusId;
  readonly partnerId: PartnerId;
  readonly limit: number;
}

const dueOfPeriod = readAll<DueQuery, DueBonus>(selectDue);

/** Reads a page of the bonuses that are due for a period, sorted by bonus and partner. */
export const listDueBonuses = async (database: Database, query: DueQuery): Promise<readonly DueBonus[]> =>
  await readOne(database, dueOfPeriod(query));
