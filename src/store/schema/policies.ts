import { sql } from "drizzle-orm";
import { check, index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { GroupId, PartnerId, PolicyId } from "#domain/ids.ts";
import { policyScopes, policyTypes } from "#domain/policy-terms.ts";
import type { Rule } from "#domain/rules.ts";
import type { Tiers } from "#domain/tiers.ts";
import type { Unit } from "#domain/units.ts";
import { flag, id, instant, json } from "./columns.ts";
import { partnerGroups } from "./partner-groups.ts";
import { partners } from "./partners.ts";
import { programId } from "./programs.ts";

/**
 * Versions of commission policies. Only `isLatest` is ever updated. `effectiveFrom` decides which version was in force
 * at a sale.
 */
export const commissionPolicies = sqliteTable(
  "commission_policies",
  {
    id: id<PolicyId>(),
    programId: programId(),
    /** If neither a partner nor a group is set, the policy is the program's default. */
    partnerId: integer("partner_id")
      .$type<PartnerId>()
      .references(() => partners.id),
    groupId: integer("group_id")
      .$type<GroupId>()
      .references(() => partnerGroups.id),
    version: integer("version").notNull(),
    type: text("type", { enum: policyTypes }).notNull(),
    rateBps: integer("rate_bps"),
    amountCents: integer("amount_cents"),
    currency: text("currency"),
    /** The unit of `amountCents` and of the rules' amounts. Null if these amounts are in a currency. */
    unit: json<Unit>("unit"),
    scope: text("scope", { enum: policyScopes }).notNull(),
    durationMonths: integer("duration_months"),
    holdDays: integer("hold_days").notNull(),
    minSaleCents: integer("min_sale_cents"),
    maxCommissionCents: integer("max_commission_cents"),
    rules: json<readonly Rule[]>("rules"),
    tiers: json<Tiers>("tiers"),
    effectiveFrom: instant("effective_from").notNull(),
    /**
     * True for the newest version of this partner, group or program. A trigger clears it when the next version is
     * inserted.
     */
    isLatest: flag("is_latest").default(true),
    /** Id of the operation that also wrote the audit entry. Null if the policy wasn't set by a user. */
    operationId: text("operation_id"),
    createdAt: instant("created_at").notNull(),
  },
  (t) => [
    uniqueIndex("commission_policies_version").on(t.programId, t.version),
    index("commission_policies_owner").on(t.programId, t.partnerId, t.groupId, t.effectiveFrom, t.version),
    index("commission_policies_current")
      .on(t.programId, t.partnerId, t.groupId)
      .where(sql`is_latest and type <> 'none'`),
    index("commission_policies_tiers").on(t.programId, t.version).where(sql`tiers is not null`),
    check(
      "commission_policies_type",
      sql`case ${t.type} when 'percent' then coalesce(${t.rateBps} between 0 and 10000, 0) when 'flat' then coalesce(${t.amountCents} >= 0, 0) and coalesce(${t.currency}, ${t.unit}) is not null else ${t.type} = 'none' end`,
    ),
    check("commission_policies_owner", sql`${t.partnerId} is null or ${t.groupId} is null`),
    check(
      "commission_policies_scope",
      sql`case ${t.scope} when 'recurring' then coalesce(${t.durationMonths} >= 1, 0) else ${t.scope} in ('one_time', 'lifetime') end`,
    ),
    check(
      "commission_policies_limits",
      sql`${t.currency} is not null or (${t.minSaleCents} is null and ${t.maxCommissionCents} is null)`,
    ),
    check(
      "commission_policies_unit",
      sql`${t.unit} is null or (${t.type} = 'flat' and ${t.maxCommissionCents} is null)`,
    ),
    check("commission_policies_hold", sql`${t.holdDays} between 0 and 365`),
  ],
);
