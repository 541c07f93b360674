import { expect } from "vitest";
import { type BreakdownQuery, groupings, isCountedDaily } from "#domain/breakdown.ts";
import type { ProgramId } from "#domain/ids.ts";
import type { Database } from "#store/database.ts";
import { BreakdownReader, readDailyBreakdown } from "#store/reports/breakdown.ts";
import type { World } from "../../harness/world.ts";

const currency = "EUR";

/** Always computes the figures from events, even if the daily counts would suffice. */
export async function readEventsByGroup(database: Database, programId: ProgramId, query: BreakdownQuery) {
  const reader = new BreakdownReader(programId, query);
  while (!reader.isDone) await reader.step(database);
  return reader.counted.groups();
}

/** Returns the totals that triggers have counted, without the queries for the figures. */
async function countedOf({ rows, programId }: World) {
  const [counted] = await rows(
    `select coalesce(sum(clicks), 0) as clicks, coalesce(sum(leads), 0) as leads, coalesce(sum(sales), 0) as sales,
       coalesce(sum(refunds), 0) as refunds,
       coalesce(sum(iif(currency = ?, revenue_cents, 0)), 0) as revenueCents,
       coalesce(sum(iif(currency = ?, refunded_cents, 0)), 0) as refundedCents,
       coalesce(sum(iif(currency = ?, commission_cents, 0)), 0) as commissionCents
     from daily_counts where program_id = ? and is_test = 0 and partner_id > 0`,
    currency,
    currency,
    currency,
    programId,
  );
  return Object.fromEntries(Object.entries({ ...counted }).map(([name, value]) => [name, BigInt(Number(value))]));
}

/**
 * Checks that the figures of each grouping add up to the totals, and each partner's groups to the partner's figures.
 */
export async function expectFiguresToAddUp(database: Database, world: World): Promise<void> {
  const counted = await countedOf(world);
  const days = { from: "2000-01-01", to: "2100-01-01" };
  for (const groupBy of groupings) {
    const query: BreakdownQuery = { groupBy, filters: {}, days, previous: undefined, currency };
    const { groups, totals } = await readEventsByGroup(database, world.programId, query);
    const { uniqueClicks: _, ...sums } = totals.now;
    expect({ groupBy, ...sums }).toEqual({ groupBy, ...counted });
    if (isCountedDaily(groupBy, {})) {
      const daily = (await readDailyBreakdown(database, world.programId, query)).groups();
      const without = daily.groups.map(({ group, now: { uniqueClicks, ...now } }) => ({ group, ...now }));
      expect(without).toEqual(groups.map(({ group, now: { uniqueClicks, ...now } }) => ({ group, ...now })));
    }
    for (const { group, now } of groups) {
      if (groupBy === "month" || groupBy === "day") continue;
      const filters = { [groupBy]: group };
      const only = await readEventsByGroup(database, world.programId, { ...query, filters });
      expect({ groupBy, group, ...only.totals.now }).toEqual({ groupBy, group, ...now });
    }
  }
}
