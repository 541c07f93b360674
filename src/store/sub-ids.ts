import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { ProgramId } from "#domain/ids.ts";
import { clicks } from "./schema/clicks.ts";
import { commissions } from "./schema/commissions.ts";
import { customerClicks } from "./schema/customers.ts";
import { sales } from "./schema/sales.ts";
import { unencoded, write } from "./statement.ts";

/** Null until the click has a row: that of an outage may be written later, with `fillInSub`. */
export const subOf = (clickId: SQLWrapper, programId: SQLWrapper, isTest: SQLWrapper): SQL => sql`(
  select k.sub from ${clicks} k where k.click_id = ${clickId} and k.program_id = ${programId} and k.is_test = ${isTest}
)`;

/**
 * For a click whose row is written only now: since it was answered, calls may have shown it, and sales may be credited
 * by it.
 */
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
