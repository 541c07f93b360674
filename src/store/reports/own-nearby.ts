import { sql } from "drizzle-orm";
import { endOfDay, hourMs } from "#domain/calendar.ts";
import { commissionStatuses } from "#domain/commission-status.ts";
import type { CommissionId, PartnerId, ProgramId } from "#domain/ids.ts";
import type { Days } from "#domain/performance.ts";
import type { OwnPartner } from "../own-partner.ts";
import { readAll, unencoded } from "../statement.ts";

// A partner's commissions for sales of a few days. No index has a partner's commissions by day. But most sales are
// recorded immediately, and commission ids rise in the order of recording. So a bisection finds the last commission
// recorded by the end of the days, and the ones before it are searched. The partner's newest commissions are searched
// too, because sales that were missing are recorded late. Only the partner's own rows are read.

/** The most commissions that are returned. */
export const maxNearby = 50;
/** The most commissions searched: of those recorded by the end of the days, and of the partner's newest ones. */
const maxSearched = { atOnce: 55, late: 20 };

/** A call may arrive after the day's end, and calls of almost the same time may be recorded in another order. */
const toleranceMs = hourMs;

/** The partner's commissions in the order of ids. SQLite merges the index ranges of the statuses. */
const own = (columns: string, condition: string, order: string) =>
  sql`(${sql.join(
    commissionStatuses
      .filter((status) => status !== "void")
      .map(
        (
          status,
        ) => sql`select ${sql.raw(columns)} from commissions c where c.partner_id = ${unencoded("partnerId")} and c.is_test = 0
          and c.status = ${sql.raw(`'${status}'`)} and ${sql.raw(condition)}`,
      ),
    sql` union all `,
  )} order by 1 ${sql.raw(order)})`;

const middle = "(search.low + search.high + 1) / 2";
const wasRecorded = sql`k.created_at < ${unencoded("until")}`;

/**
 * Binary search: all of the partner's commissions up to `low` were recorded by the end of the days, and none above
 * `high`. Each step jumps to an existing commission, because ids have large gaps.
 */
const nearby = sql`(
  with recursive search(low, high) as (
    select ${own("c.id", "1", "limit 1")} - 1, ${own("c.id", "1", "desc limit 1")}
    union all
    select iif(${wasRecorded}, coalesce(${own("c.id", `c.id > ${middle}`, "limit 1")} - 1, high), low), iif(${wasRecorded}, high, k.id - 1)
    from search cross join commissions k on k.id = ${own("c.id", `c.id <= ${middle}`, "desc limit 1")}
    where low < high
  ),
  last as materialized (select max(low) as id from search)
  select n.id from (
    select * from ${own("c.id, c.sale_id", "c.id <= (select id from last)", `desc limit ${maxSearched.atOnce}`)}
    union select * from ${own("c.id, c.sale_id", "1", `desc limit ${maxSearched.late}`)}
  ) n
  cross join sales s on s.id = n.sale_id
  where s.program_id = ${unencoded("programId")} and s.day between ${unencoded("from")} and ${unencoded("to")}
)`;

type Asked = { programId: ProgramId; partnerId: PartnerId; from: string; to: string; until: number };

const nearbyIds = readAll<Asked, { readonly id: CommissionId }>((db) =>
  db
    .select({ id: sql<CommissionId>`nearby.id` })
    .from(sql`${nearby} nearby`)
    .orderBy(sql`nearby.id desc`)
    .limit(maxNearby),
);

/** The partner's newest commissions in live mode for sales on these days, without void ones. */
export const ownNearby = (partner: Pick<OwnPartner, "programId" | "partnerId" | "timezone">, days: Days) => {
  const { programId, partnerId, timezone } = partner;
  return nearbyIds({ programId, partnerId, ...days, until: endOfDay(timezone, days.to) + toleranceMs });
};
