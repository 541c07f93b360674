import { eq, type SQL, sql } from "drizzle-orm";
import { dateUtc, dayMs } from "#domain/calendar.ts";
import { caps } from "#domain/caps.ts";
import type { Policy } from "#domain/commission.ts";
import type { BonusWithUnit } from "#domain/explain/bonus-text.ts";
import type { GroupId, PartnerId, ProgramId } from "#domain/ids.ts";
import type { ReachedStep, TierCount } from "#domain/tiers.ts";
import { presentGroup } from "../groups.ts";
import { periodOfMonth } from "../months-of-period.ts";
import { decidingColumns, isCurrent } from "../policies.ts";
import { commissionPolicies } from "../schema/policies.ts";
import { programs } from "../schema/programs.ts";
import { given, readFirst, unencoded } from "../statement.ts";
import { unitIn } from "../units.ts";

const currentOf = (partner: SQL, group: SQL): SQL => sql`(
  select v.id from ${commissionPolicies} v
  where v.program_id = ${given("programId")} and v.partner_id is ${partner} and v.group_id is ${group} and v.${isCurrent})`;

const groupNow = presentGroup({ programId: given("programId"), partnerId: unencoded("partnerId") });

/** A partner's policy, with the live sales of this year that count for its tiers. */
export interface PolicyNow extends Policy {
  /** Null if the policy has no tiers. */
  readonly counts: readonly TierCount[] | null;
  /** The program's bonuses for the current period. */
  readonly bonuses: readonly BonusWithUnit[];
}

const bonusesNow = sql<readonly BonusWithUnit[]>`(
  select json_group_array(json_object(
    'metric', newest.metric, 'period', newest.period, 'threshold', newest.threshold, 'salesCurrency', newest.sales_currency,
    'amountCents', newest.amount_cents, 'currency', newest.currency, 'unit', json(${unitIn(sql`newest.program_id`, sql`newest.currency`)})))
  from (
    select * from bonuses n
    where n.program_id = ${given("programId")} and n.dismissed_at is null
      and coalesce(n.until_period >= ${periodOfMonth(sql`n.period`, sql`cast(${given("month")} as text)`)}, 1)
    order by n.id desc limit ${sql.raw(String(caps.bonuses.max))}) newest)`.mapWith(
  (json: string) => JSON.parse(json) as readonly BonusWithUnit[],
);

const countsOf = (partner: SQL) =>
  sql<readonly TierCount[] | null>`iif(tiers is null, null, (
    select json_group_array(json_object(
      'month', c.month, 'currency', c.currency, 'sales', c.sales, 'revenueCents', c.revenue_cents))
    from tier_counts c
    where c.program_id = ${given("programId")} and c.is_test = 0 and c.partner_id = ${partner}
      and c.month >= ${given("since")}))`.mapWith((json: string) => JSON.parse(json) as readonly TierCount[]);

const isDeciding = (partner: SQL, group: SQL) =>
  eq(
    commissionPolicies.id,
    sql`coalesce(
      ${currentOf(partner, sql`null`)},
      ${currentOf(sql`null`, group)},
      ${currentOf(sql`null`, sql`null`)})`,
  );

const policyOf = <Values extends Record<string, unknown>>(partner: SQL, group: SQL) =>
  readFirst<Values & { since: string; month: string }, PolicyNow>((db) =>
    db
      .select({ ...decidingColumns, counts: countsOf(partner), bonuses: bonusesNow })
      .from(commissionPolicies)
      .where(isDeciding(partner, group)),
  );

const partner = sql`${unencoded("partnerId")}`;

const ofPartner = policyOf<{ programId: ProgramId; partnerId: PartnerId }>(partner, groupNow);

const ofNewcomer = policyOf<{ programId: ProgramId; groupId: GroupId | null }>(sql`0`, sql`${unencoded("groupId")}`);

/**
 * The first month of the year. On January 1, the year before, because the new year may not have begun in the time zone.
 */
const sinceOf = (at: number): string => `${dateUtc(at - dayMs).slice(0, 4)}-01`;

const monthOf = (at: number): string => dateUtc(at).slice(0, 7);

const bonusesOfProgram = readFirst<{ programId: ProgramId; month: string }, Pick<PolicyNow, "bonuses">>((db) =>
  db
    .select({ bonuses: bonusesNow })
    .from(programs)
    .where(eq(programs.id, given("programId"))),
);

interface AtInstant {
  readonly programId: ProgramId;
  /** Now (ms). */
  readonly at: number;
}

/** The policy that applies now: the partner's, otherwise the group's, otherwise the program's. */
export const policyNow = ({ at, ...partner }: AtInstant & { readonly partnerId: PartnerId }) =>
  ofPartner({ ...partner, since: sinceOf(at), month: monthOf(at) });

/** The policy that would apply to a new partner of the group. Partner 0 doesn't exist. */
export const policyOfNewcomer = ({ at, ...newcomer }: AtInstant & { readonly groupId: GroupId | null }) =>
  ofNewcomer({ ...newcomer, since: sinceOf(at), month: monthOf(at) });

/** The program's bonuses for the current period. */
export const bonusesAt = ({ programId, at }: AtInstant) => bonusesOfProgram({ programId, month: monthOf(at) });

/** A partner's policy, with the step that decides live sales of the current period. */
interface PolicyWithStep extends Omit<PolicyNow, "bonuses"> {
  /** Null if the policy has no tiers, or if no step was reached. */
  readonly step: ReachedStep | null;
}

const stepNow = sql<ReachedStep | null>`iif(tiers is null, null, (
    select json_object('policyId', s.policy_id, 'period', s.period, 'currency', s.currency, 'threshold', s.threshold,
      'count', s.count, 'at', s.at)
    from tier_steps s
    where s.policy_id = ${commissionPolicies}.id and s.partner_id = ${partner} and s.is_test = 0
      and s.period = ${periodOfMonth(sql`tiers ->> 'period'`, unencoded("month"))}
    order by s.number desc limit 1))`.mapWith(
  (json: string): ReachedStep => ({ ...(JSON.parse(json) as Omit<ReachedStep, "isTest">), isTest: false }),
);

type OfPartner = { programId: ProgramId; partnerId: PartnerId; since: string; month: string };

const withStep = readFirst<OfPartner, PolicyWithStep>((db) =>
  db
    .select({ ...decidingColumns, counts: countsOf(partner), step: stepNow })
    .from(commissionPolicies)
    .where(isDeciding(partner, groupNow)),
);

/** Like `policyNow`, with the partner's step. `today` ("YYYY-MM-DD") is the day of `at`. */
export const policyWithStep = ({
  at,
  today,
  ...of
}: AtInstant & { readonly partnerId: PartnerId; readonly today: string }) =>
  withStep({ ...of, since: sinceOf(at), month: today.slice(0, 7) });
