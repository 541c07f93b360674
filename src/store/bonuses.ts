import { and, asc, eq, sql } from "drizzle-orm";
import { dateUtc, dayMs } from "#domain/calendar.ts";
import type { BonusId, PartnerId, ProgramId } from "#domain/ids.ts";
import { awardedAt, countOfBonus } from "./due-bonuses.ts";
import { periodOfMonth } from "./months-of-period.ts";
import { bonuses } from "./schema/bonuses.ts";
import { everyColumn, given, insert, readAll, readFirst, unencoded, update } from "./statement.ts";

export type BonusRow = typeof bonuses.$inferSelect;

type ById = { programId: ProgramId; id: BonusId };

const isWithId = and(eq(bonuses.programId, given("programId")), eq(bonuses.id, given("id")));

export const bonusById = readFirst<ById, BonusRow>((db) => db.select().from(bonuses).where(isWithId));

type Running = { programId: ProgramId; month: string };

const running = readAll<Running, BonusRow>((db) =>
  db
    .select()
    .from(bonuses)
    .where(
      and(
        eq(bonuses.programId, given("programId")),
        sql`coalesce(${bonuses.untilPeriod} >= ${periodOfMonth(bonuses.period, unencoded("month"))}, 1)`,
      ),
    )
    .orderBy(asc(bonuses.id)),
);

/**
 * The bonuses that apply to the current or a later period, sorted by id. On the first day of a period (UTC), includes
 * bonuses that ended with the previous period, because the new period may not have begun in the program's time zone.
 */
export const bonusesSince = ({ programId, at }: { readonly programId: ProgramId; readonly at: number }) =>
  running({ programId, month: dateUtc(at - dayMs).slice(0, 7) });

export const insertBonus = insert<BonusRow>((db) => db.insert(bonuses).values(everyColumn(bonuses)));

export const endBonus = update(bonuses, ["programId", "id"], ["untilPeriod"]);
export const dismissBonus = update(bonuses, ["programId", "id"], ["dismissedAt"]);

type Ids = { programId: ProgramId; ids: string };

/** `ids` is a JSON array. */
export const bonusesWithIds = readAll<Ids, BonusRow>((db) =>
  db
    .select()
    .from(bonuses)
    .where(
      and(
        eq(bonuses.programId, given("programId")),
        sql`${bonuses.id} in (select value from json_each(${given("ids")}))`,
      ),
    ),
);

/** A partner's sales in a period that count for a bonus. */
export interface Reached {
  readonly bonusId: BonusId;
  readonly partnerId: PartnerId;
  readonly isErased: boolean;
  readonly count: number;
  /** The instant of the adjustment with the award's reference. Null if there is none. */
  readonly recordedAt: number | null;
}

type Rows = { programId: ProgramId; period: string; lastMonth: string; rows: string };

/** `rows` is a JSON array of `[bonusId, partnerId]`. Pairs that the program doesn't have are left out. */
export const reachedOfRows = readAll<Rows, Reached>((db) =>
  db
    .select({
      bonusId: sql<BonusId>`b.id`,
      partnerId: sql<PartnerId>`p.id`,
      isErased: sql<boolean>`p.erasure_id is not null`.mapWith(Boolean),
      count: countOfBonus(sql`p.id`, unencoded("lastMonth")),
      recordedAt: awardedAt(sql`p.id`, unencoded("period")),
    })
    .from(
      sql`json_each(${given("rows")}) r
        cross join bonuses b on b.id = r.value ->> 0 and b.program_id = ${given("programId")}
        cross join partners p on p.id = r.value ->> 1 and p.program_id = b.program_id and not p.is_synthetic`,
    ),
);
