import { sql } from "drizzle-orm";
import type { ReachedStep } from "#domain/tiers.ts";
import { type OfPartner, stepsOf } from "./reached-steps.ts";
import { lookUp } from "./statement.ts";

/** Returns the newest step of each policy version and book in each period. `periods` is a JSON array. */
export const stepsOfPeriods = lookUp<keyof OfPartner | "periods", ReachedStep>(
  ["programId", "partnerId", "periods"],
  (db, wanted, key) =>
    stepsOf(
      db,
      wanted,
      key,
      sql`select max(n.number) from commission_policies v
        cross join (select 0 as is_test union all select 1) b cross join json_each(${key.periods}) p
        cross join tier_steps n on n.policy_id = v.id and n.partner_id = ${key.partnerId} and n.is_test = b.is_test
          and n.period = p.value
        where v.program_id = ${key.programId} and v.tiers is not null
        group by v.id, b.is_test, p.value`,
    ),
);
