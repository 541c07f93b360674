import { and, asc, between, eq, gt, isNotNull, sql } from "drizzle-orm";
import type { VoidReason } from "#domain/commission.ts";
import type { FrozenPast } from "#domain/explain/frozen.ts";
import type { GroupId, PartnerId, ProgramId, SaleId } from "#domain/ids.ts";
import { type Days, spanAround } from "#domain/performance.ts";
import type { InForce } from "#domain/policy-in-force.ts";
import type { RecordedSale } from "#domain/simulation.ts";
import { type Database, readOne } from "../database.ts";
import { isReplacedSale } from "../sales.ts";
import { commissions } from "../schema/commissions.ts";
import { commissionPolicies } from "../schema/policies.ts";
import { sales } from "../schema/sales.ts";
import { given, readAll } from "../statement.ts";

interface Position {
  readonly occurredAt: number;
  readonly id: SaleId;
}

type SalesAfter = {
  programId: ProgramId;
  from: string;
  to: string;
  afterOccurredAt: number;
  afterId: number;
  until: number;
  limit: number;
};

/** Uses the index on (program, book, instant). */
const attributedSales = readAll<SalesAfter, Position>((db) =>
  db
    .select({ occurredAt: sales.occurredAt, id: sales.id })
    .from(sales)
    .where(
      and(
        eq(sales.programId, given("programId")),
        eq(sales.isTest, false),
        sql`${sales.occurredAt} >= ${given("afterOccurredAt")} and ${sales.occurredAt} <= ${given("until")}`,
        sql`(${sales.occurredAt} > ${given("afterOccurredAt")} or ${gt(sales.id, given("afterId"))})`,
        between(sales.day, given("from"), given("to")),
        isNotNull(sales.partnerId),
        sql`not ${isReplacedSale}`,
      ),
    )
    .orderBy(asc(sales.occurredAt), asc(sales.id))
    .limit(given("limit")),
);

export interface SalesOfDays {
  readonly programId: ProgramId;
  readonly days: Days;
  readonly limit: number;
}

/** Lists live, attributed sales after a position, earliest first, without corrected sales. */
export async function listAttributedSales(
  database: Database,
  { programId, days, limit }: SalesOfDays,
  after: Position | undefined,
): Promise<readonly Position[]> {
  const { since, until } = spanAround(days);
  const { occurredAt: afterOccurredAt, id: afterId } = after ?? { occurredAt: since, id: 0 };
  const asked = attributedSales({ programId, ...days, afterOccurredAt, afterId, until, limit });
  return await readOne(database, asked);
}

const explanation = (path: string) => sql`${commissions.explanation} ->> ${sql.raw(`'$.${path}'`)}`;

/** The partner's group at the time of the sale, as known when the commission was decided. */
const groupThen = sql<GroupId | null>`(
  select m.group_id from group_memberships m
  where m.program_id = ${sales.programId} and m.partner_id = ${sales.partnerId}
    and m.effective_from <= min(${sales.occurredAt}, ${explanation("decidedAt")})
  order by m.effective_from desc limit 1)`;

const refundedAt = sql<number | null>`iif(${sales.refundedCents} < ${sales.amountCents}, null, (
  select max(r.created_at) from refunds r where r.sale_id = ${sales.id} and r.counted_cents > 0))`;

/** The threshold of the step that decided the sale. The explanation of a void commission contains no step. */
const threshold = sql<number | null>`case
  when ${commissionPolicies.tiers} is null then null
  when ${commissions.status} <> 'void' then ${explanation("tier.threshold")}
  else (
    select t.threshold from tier_steps t
    where t.policy_id = ${commissionPolicies.id} and t.partner_id = ${sales.partnerId} and t.is_test = ${sales.isTest}
      and t.at <= ${explanation("decidedAt")} and t.period = case ${commissionPolicies.tiers} ->> 'period'
        when 'month' then substr(${sales.day}, 1, 7) when 'year' then substr(${sales.day}, 1, 4)
        else substr(${sales.day}, 1, 4) || '-Q' || ((substr(${sales.day}, 6, 2) + 2) / 3) end
    order by t.number desc limit 1) end`;

/** `ids` is a JSON array. */
const recordedSales = readAll<{ ids: string }, RecordedSale>((db) =>
  db
    .select({
      customerId: sales.customerId,
      partnerId: sql<PartnerId>`${sales.partnerId}`,
      day: sales.day,
      amountCents: sales.amountCents,
      currency: sales.currency,
      occurredAt: sales.occurredAt,
      isRecurring: sales.isRecurring,
      productId: sales.productId,
      items: sales.items,
      subscriptionInterval: sales.subscriptionInterval,
      coupons: sales.coupons,
      refundedCents: sales.refundedCents,
      refundedAt,
      groupId: groupThen,
      past: sql<FrozenPast | null>`${commissions.explanation} -> '$.past'`.mapWith(
        (json: string) => JSON.parse(json) as FrozenPast,
      ),
      decidedAt: sql<number>`${explanation("decidedAt")}`,
      policy: {
        version: commissionPolicies.version,
        partnerId: commissionPolicies.partnerId,
        groupId: commissionPolicies.groupId,
        type: commissionPolicies.type,
        effectiveFrom: commissionPolicies.effectiveFrom,
        tiers: commissionPolicies.tiers,
      } satisfies Record<keyof InForce | "tiers", unknown>,
      threshold,
      commission: {
        id: commissions.id,
        status: commissions.status,
        reason: sql<VoidReason | null>`${commissions.reason}`,
        earnedCents: sql<number | null>`${explanation("amountCents")}`,
        initialCents: commissions.initialCents,
        amountCents: commissions.amountCents,
        currency: commissions.currency,
        approvedAt: commissions.approvedAt,
      },
    })
    .from(sales)
    .innerJoin(commissions, eq(commissions.saleId, sales.id))
    .leftJoin(commissionPolicies, eq(commissionPolicies.id, commissions.policyId))
    .where(sql`${sales.id} in (select value from json_each(${given("ids")}))`)
    .orderBy(asc(sales.id)),
);

export const readSalesToSimulate = async (
  database: Database,
  ids: readonly SaleId[],
): Promise<readonly RecordedSale[]> => await readOne(database, recordedSales({ ids: JSON.stringify(ids) }));
