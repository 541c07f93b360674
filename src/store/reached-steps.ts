import { type SQL, sql } from "drizzle-orm";
import { newestStepsKept } from "#domain/step-history.ts";
import type { ReachedStep } from "#domain/tiers.ts";
import { type Compiler, lookUp } from "./statement.ts";

export type OfPartner = Readonly<Record<"programId" | "partnerId", SQL>>;

// Uses SQL text, because the Ledger imports this file at startup and must not load the table's definition.
export const stepsOf = (db: Compiler, wanted: SQL, { programId, partnerId }: OfPartner, numbers: SQL) =>
  db
    .select({
      policyId: sql<number>`s.policy_id`,
      isTest: sql<boolean>`s.is_test`.mapWith(Boolean),
      period: sql<string>`s.period`,
      currency: sql<string | null>`s.currency`,
      threshold: sql<number>`s.threshold`,
      count: sql<number>`s.count`,
      at: sql<number>`s.at`,
    })
    .from(sql`${wanted} cross join tier_steps s`)
    .where(sql`s.program_id = ${programId} and s.partner_id = ${partnerId} and s.number in (${numbers})`)
    .orderBy(sql`s.number desc`);

/**
 * Returns the newest steps, newest first. Reads one row more than the limit, which shows whether there are older ones.
 */
export const newestStepsOf = lookUp<keyof OfPartner, ReachedStep>(["programId", "partnerId"], (db, wanted, key) =>
  stepsOf(
    db,
    wanted,
    key,
    sql`select n.number from tier_steps n where n.program_id = ${key.programId} and n.partner_id = ${key.partnerId}
      order by n.number desc limit ${sql.raw(String(newestStepsKept + 1))}`,
  ),
);
