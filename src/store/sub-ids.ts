import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { ProgramId } from "#domain/ids.ts";
import { clicks } from "./schema/clicks.ts";
import { commissions } from "./schema/commissions.ts";
import { customerClicks } from "./schema/customers.ts";
import { sales } from "./schema/sales.ts";
import { unencoded, write } from "./statement.ts";

/** The click's sub-id. Null until the click's row is written: after an outage, `fillInSub` sets it later. */
export const subOf = (clickId: SQLWrapper, programId: SQLWrapper, isTest: SQLWrapper): SQL => sql`(
  select k.sub from ${clicks} k where k.click_id = ${clickId} and k.program_id = ${programId} and k.is_test = ${isTest}
)`;

/** Call this when the row of a click is written late, after an outage. Sales may already be attributed to the click. */
export const fillInSub = write<{ programId: ProgramId; isTest: boolean; clickId: string }>((db) =>
  db
    .update(commissions)
    .set({ sub: subOf(unencoded("clickId"), unencoded("programId"), unencoded("isTest")) })
    .where(
      sql`${commissions.id} in (
        select c.id from ${customerClicks} cc
        cross join ${sales} s on s.customer_id = cc.customer_id
        cross join ${commissions} c on c.sale_id = s.id
        where cc.click_id = ${unencoded("clickId")} and c.program_id = ${unencoded("programId")} and c.is_test = ${unencoded("isTest")}
          and c.source = 'click' and c.explanation ->> '$.click.id' = ${unencoded("clickId")}
      )`,
    ),
);
