import { sql } from "drizzle-orm";
import { type ClickPace, paceDays } from "#domain/click-pace.ts";
import type { ProgramId } from "#domain/ids.ts";
import { readFirst, unencoded } from "../statement.ts";

const latestDay = (condition: ReturnType<typeof sql>) => sql`select d.day from daily_counts d
  where d.program_id = ${unencoded("programId")} and d.is_test = 0 and d.clicks > 0 and ${condition}
  order by d.day desc limit 1`;

/**
 * Counts the days with clicks among the `paceDays` days that end with the newest day with clicks. It jumps from one day
 * to the next in the index, so it doesn't read a row for each partner.
 */
export const clickPace = readFirst<{ programId: ProgramId }, ClickPace>((db) =>
  db
    .select({
      activeDays: sql<number>`count(day)`,
      firstDay: sql<string | null>`min(day)`,
      lastDay: sql<string | null>`max(day)`,
    })
    .from(
      sql`(with recursive active(day, latest) as (
        select found.day, found.day from (${latestDay(sql`1 = 1`)}) found
        union all
        select (${latestDay(sql`d.day < active.day and d.day > date(active.latest, ${sql.raw(`'-${paceDays} days'`)})`)}), active.latest
        from active where active.day is not null
      ) select day from active)`,
    ),
);
