import { and, asc, desc, eq, inArray, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import { clockToleranceMs } from "#domain/calendar.ts";
import {
  type ClickFacts,
  type CustomerFacts,
  type DecidedStatus,
  type DecisionFacts,
  decidedStatuses,
  type EntryFacts,
  type LeadFacts,
  type PairSum,
  type RefundFacts,
  type StorySale,
} from "#domain/explain/facts.ts";
import type { Group } from "#domain/policy-in-force.ts";
import { presentGroup } from "../groups.ts";
import { nameOfKeyActor } from "../keys.ts";
import { noteIn, textOfNote } from "../notes.ts";
import { payoutHolding, shownStatusOf } from "../payout-ranges.ts";
import { isReplacedSale } from "../sales.ts";
import { auditEntries } from "../schema/audit.ts";
import { commissions, ledgerEntries } from "../schema/commissions.ts";
import { customers } from "../schema/customers.ts";
import { leads } from "../schema/leads.ts";
import { partners, referralLinks } from "../schema/partners.ts";
import { payouts } from "../schema/payouts.ts";
import { commissionPolicies } from "../schema/policies.ts";
import { refunds } from "../schema/refunds.ts";
import { sales } from "../schema/sales.ts";
import { users } from "../schema/users.ts";
import { isHeld, liveReviews } from "../signals.ts";
import { asText, given, readAll, readFirst, unencoded } from "../statement.ts";
import { byKey, type ChainKey, chainOf } from "./explain-chain.ts";
import { type ExplainQuery, leadReason, shownClicks } from "./explain-events.ts";

export const found = byKey((by) =>
  readFirst<ExplainQuery, { here: boolean; elsewhere: boolean; hasSale: boolean }>((db) =>
    db
      .select({
        here: sql<boolean>`${chainOf(by).exists}`.mapWith(Boolean),
        elsewhere: sql<boolean>`${chainOf(by, "isTestElsewhere").exists}`.mapWith(Boolean),
        hasSale: sql<boolean>`${chainOf(by === "refund" ? "transaction" : by).exists}`.mapWith(Boolean),
      })
      .from(sql`(select 1)`),
  ),
);

/** Reads at most two, which is enough to find that there are several. */
export const customersOf = byKey((by) =>
  readAll<ExplainQuery, CustomerFacts>((db) =>
    db
      .select({
        id: customers.id,
        isErased: customers.isErased,
        customerKey: customers.customerKey,
        createdAt: customers.createdAt,
        partnerCode: referralLinks.code,
        source: customers.source,
        since: customers.since,
        clickId: customers.clickId,
        clickAt: customers.clickAt,
        evidence: customers.evidence,
        model: customers.model,
        windowDays: customers.windowDays,
        windowUntil: customers.windowUntil,
        clickAgeDays: customers.clickAgeDays,
        reason: customers.reason,
        confirmedAt: customers.confirmedAt,
        firstAttributedSaleAt: customers.firstAttributedSaleAt,
      })
      .from(customers)
      .leftJoin(referralLinks, eq(referralLinks.id, customers.linkId))
      .where(sql`${customers.id} in (${chainOf(by).customerIds})`)
      .limit(2),
  ),
);

export const clickOf = readFirst<ExplainQuery, ClickFacts>((db) =>
  db
    .select({
      clickId: sql<string>`shown.click_id`,
      at: sql<number>`shown.click_at`,
      partnerCode: referralLinks.code,
    })
    .from(shownClicks("click", chainOf("click")))
    .leftJoin(referralLinks, eq(referralLinks.id, sql`shown.link_id`)),
);

/** The policy version that is now in force for a partner's sales. */
const policyVersionNow = (partnerId: SQLWrapper) => {
  const programId = unencoded("programId");
  const current = (ofPartner: SQL, ofGroup: SQL) => sql`select v.version from ${commissionPolicies} v
    where v.program_id = ${programId} and v.partner_id is ${ofPartner} and v.group_id is ${ofGroup}
      and v.is_latest and v.type <> 'none'`;
  const none = sql`null`;
  // If the partner is in no group, this finds the program's default policy.
  const ofGroup = current(none, presentGroup({ programId, partnerId }));
  return sql<number | null>`iif(${partnerId} is null, null,
    coalesce((${current(sql`${partnerId}`, none)}), (${ofGroup}), (${current(none, none)})))`;
};

/** The group that owns the policy version now in force. Null if a partner or the program owns it. */
const policyGroupNow = (partnerId: SQLWrapper) =>
  sql<Group | null>`(
    select json_object('id', g.id, 'name', g.name) from ${commissionPolicies} v join partner_groups g on g.id = v.group_id
    where v.program_id = ${unencoded("programId")} and v.version = ${policyVersionNow(partnerId)})`.mapWith(
    (json: string) => JSON.parse(json) as Group,
  );

export interface PolicyNow {
  readonly policyVersionNow: number | null;
  readonly policyGroupNow: Group | null;
}

/** Reads one lead, if possible one that has a customer. For a click, a lead with this click comes before all others. */
export const leadOf = byKey((by) =>
  readFirst<ExplainQuery, LeadFacts & PolicyNow>((db) =>
    db
      .select({
        id: leads.id,
        partnerId: leads.partnerId,
        partnerCode: leads.partnerCode,
        partnerStatus: partners.status,
        clickId: leads.clickId,
        reason: leadReason,
        isProvisional: leads.isProvisional,
        evidence: leads.evidence,
        clickAgeDays: leads.clickAgeDays,
        windowDays: leads.windowDays,
        explanation: leads.explanation,
        policyVersionNow: policyVersionNow(leads.partnerId),
        policyGroupNow: policyGroupNow(leads.partnerId),
      })
      .from(leads)
      .leftJoin(partners, eq(partners.id, leads.partnerId))
      .where(sql`${leads.id} in (${chainOf(by).leadIds})`)
      .orderBy(
        ...(by === "click" ? [sql`${leads.clickId} is not ${unencoded("key")}`] : []),
        sql`${leads.customerId} is null`,
        asc(leads.id),
      )
      .limit(1),
  ),
);

const corrected = alias(sales, "corrected");
const correcting = alias(sales, "correcting");
const earlier = alias(sales, "earlier");

const atStep = (step: SQL) => sql`(select c.id from sales c
  where c.corrected_sale_id = coalesce(${sales.correctedSaleId}, ${sales.id}) and c.correction = ${step})`;
const correctedId = sql`iif(${sales.correction} = 1, ${sales.correctedSaleId}, ${atStep(sql`${sales.correction} - 1`)})`;
const correctingId = atStep(sql`coalesce(${sales.correction}, 0) + 1`);

export const saleOf = byKey((by) =>
  readFirst<ExplainQuery, StorySale & PolicyNow>((db) =>
    db
      .select({
        id: sales.id,
        transactionId: sales.transactionId,
        amountCents: sales.amountCents,
        currency: sales.currency,
        refundedCents: sales.refundedCents,
        occurredAt: sales.occurredAt,
        partnerCode: sales.partnerCode,
        partnerStatus: partners.status,
        reason: sales.reason,
        clickAgeDays: sales.clickAgeDays,
        windowDays: sales.windowDays,
        corrects: { saleId: corrected.id, transactionId: corrected.transactionId },
        correctedBy: { saleId: correcting.id, transactionId: correcting.transactionId },
        renews: { saleId: earlier.id, transactionId: earlier.transactionId },
        commission: {
          id: commissions.id,
          partnerId: commissions.partnerId,
          source: commissions.source,
          sub: commissions.sub,
          status: shownStatusOf(),
          reason: commissions.reason,
          isUnconfirmed: commissions.isUnconfirmed,
          held: isHeld,
          reviews: liveReviews,
          initialCents: commissions.initialCents,
          amountCents: commissions.amountCents,
          currency: commissions.currency,
          holdUntil: commissions.holdUntil,
          explanation: commissions.explanation,
          entryCount: sql<number>`(select count(*) from ledger_entries e where e.commission_id = ${commissions.id})`,
        },
        policyVersionNow: policyVersionNow(commissions.partnerId),
        policyGroupNow: policyGroupNow(commissions.partnerId),
      })
      .from(sales)
      .innerJoin(commissions, eq(commissions.saleId, sales.id))
      .leftJoin(partners, eq(partners.id, commissions.partnerId))
      .leftJoin(corrected, eq(corrected.id, correctedId))
      .leftJoin(correcting, eq(correcting.id, correctingId))
      .leftJoin(earlier, eq(earlier.id, sql`${commissions.explanation} ->> '$.renewal.saleId'`))
      .where(sql`${sales.id} = ${chainOf(by).onlySaleId}`),
  ),
);

const onlyCommissionId = (by: ChainKey): SQL =>
  sql`(select c.id from commissions c where c.sale_id = ${chainOf(by).onlySaleId})`;

const maxEntries = 100;

/** Sorts entries of refunds last, because only their number can exceed the limit. */
const listedEntryIds = (by: ChainKey): SQL => sql`select e.id from ledger_entries e
  where e.commission_id = ${onlyCommissionId(by)}
  order by e.kind in ('reversed', 'restored'), e.id limit ${sql.raw(String(maxEntries))}`;

/**
 * The payout that includes the ledger entry. For the commission's first entries, it is the payout that pays the
 * commission. Later entries are netted in the partner's next payout. Only the commission's current partner can have
 * been paid.
 */
const payoutOfEntry = sql`(
  select p.id from payout_lines l join payouts p on p.id = l.payout_id
  where l.partner_id = ${ledgerEntries.partnerId} and l.partner_id = ${commissions.partnerId} and l.state = 'live' and p.currency = ${ledgerEntries.currency}
    and p.status in ('final', 'paid') and p.finalized_number > ${ledgerEntries.id}
    and p.finalized_number >= (select h.finalized_number from payouts h where h.id = ${payoutHolding()})
  order by p.finalized_number limit 1)`;

const isSettled = sql`exists (select 1 from payout_lines l
  where l.payout_id = ${payouts.id} and l.partner_id = ${ledgerEntries.partnerId} and l.settled_at is not null)`;

/**
 * The audit entry of the action that caused a ledger entry: a correction of the sale, or an assignment or import of the
 * customer after the sale was recorded.
 */
const authoring = alias(auditEntries, "authoring");
const authors = alias(users, "authors");

/**
 * A correction repeats the sale's refunds on the new sale. The operation ids of the repeated refunds begin with the
 * operation id of the correction.
 */
const operationOfRefund = sql`iif(
  substr(${refunds.operationId}, 1, length(${sales.operationId}) + 1) = ${sales.operationId} || ' ', ${sales.operationId},
  ${refunds.operationId})`;

const authoringOfEntry = sql`coalesce(
  (select a.id from audit_entries a
    where ${ledgerEntries.kind} in ('earned', 'moved') and ${commissions.source} in ('person', 'import')
      and a.program_id = ${ledgerEntries.programId} and a.subject = 'customer ' || ${sales.customerId}
      and a.action in ('customer.assigned', 'customer.imported') and a.created_at between ${sales.createdAt} and ${ledgerEntries.createdAt}
    order by a.id desc limit 1),
  (select a.id from audit_entries a
    where a.operation_id = coalesce(${operationOfRefund}, iif(${ledgerEntries.kind} = 'earned', ${sales.operationId}, null))
      and a.action = 'sale.corrected'))`;

export const entriesOf = byKey((by) =>
  readAll<ExplainQuery, EntryFacts>((db) =>
    db
      .select({
        id: ledgerEntries.id,
        kind: ledgerEntries.kind,
        amountCents: ledgerEntries.amountCents,
        currency: ledgerEntries.currency,
        partnerId: ledgerEntries.partnerId,
        refundId: refunds.refundId,
        refundReason: refunds.reason,
        occurredAt: ledgerEntries.occurredAt,
        createdAt: ledgerEntries.createdAt,
        payoutReference: payouts.reference,
        isPaidOut:
          sql<boolean>`coalesce(iif(${payouts.settledBy} = 'api', ${isSettled}, ${payouts.status} = 'paid'), 0)`.mapWith(
            Boolean,
          ),
        payoutBy: users.name,
        payoutById: sql<string | null>`coalesce(${payouts.confirmedBy}, ${payouts.finalizedBy})`.as("payout_by_id"),
        authorId: authoring.actorId,
        author: sql<
          string | null
        >`coalesce(${authors.name}, ${nameOfKeyActor(authoring.actorId, ledgerEntries.programId)})`,
      })
      .from(ledgerEntries)
      .leftJoin(refunds, eq(refunds.id, ledgerEntries.refundId))
      .leftJoin(commissions, eq(commissions.id, ledgerEntries.commissionId))
      .leftJoin(sales, eq(sales.id, commissions.saleId))
      .leftJoin(authoring, sql`${authoring.id} = ${authoringOfEntry}`)
      .leftJoin(authors, eq(authors.id, authoring.actorId))
      .leftJoin(payouts, sql`${payouts.id} = ${payoutOfEntry}`)
      .leftJoin(users, eq(users.id, sql`coalesce(${payouts.confirmedBy}, ${payouts.finalizedBy})`))
      .where(sql`${ledgerEntries.id} in (${listedEntryIds(by)})`)
      .orderBy(asc(ledgerEntries.id)),
  ),
);

export const refundOf = readFirst<ExplainQuery, RefundFacts>((db) =>
  db
    .select({
      refundedCents: sql<number>`coalesce(sum(${refunds.refundedCents}), 0)`,
      commissionReversedCents: sql<number>`coalesce(sum(${refunds.commissionReversedCents}), 0)`,
      commissionCurrency: sql<string | null>`min(${ledgerEntries.currency})`,
      isCanceled: sql<boolean>`coalesce(max(${refunds.status} = 'restored'), 0)`.mapWith(Boolean),
    })
    .from(refunds)
    .leftJoin(ledgerEntries, eq(ledgerEntries.refundId, refunds.id))
    .where(and(sql`${refunds.saleId} = ${chainOf("refund").onlySaleId}`, eq(refunds.refundId, unencoded("refundId")))),
);

/** Reads the newest decision, because one member may reject a commission that another approved. */
export const decisionOf = byKey((by) =>
  readFirst<ExplainQuery, DecisionFacts>((db) =>
    db
      .select({
        status: sql<DecidedStatus>`substr(${auditEntries.action}, length('commission.') + 1)`,
        at: auditEntries.createdAt,
        name: users.name,
        actorId: auditEntries.actorId,
        reason: textOfNote(noteIn(auditEntries.after, "reason")),
      })
      .from(auditEntries)
      .leftJoin(users, eq(users.id, auditEntries.actorId))
      .where(
        and(
          eq(auditEntries.programId, given("programId")),
          sql`${auditEntries.subject} = 'commission ' || ${onlyCommissionId(by)}`,
          inArray(auditEntries.action, [...decidedStatuses.map((status) => `commission.${status}`)]),
        ),
      )
      .orderBy(desc(auditEntries.id))
      .limit(1),
  ),
);

const sumOf = (column: SQLWrapper) => asText(sql`sum(${column})`).mapWith(Number);

/** For these keys, a chain can have several sales. The sums exclude sales that a correction replaced. */
const ofSeveral: ReadonlySet<ChainKey> = new Set(["click", "lead", "customer"]);

export const sumsOf = byKey((by) =>
  readAll<ExplainQuery, PairSum>((db) =>
    db
      .select({
        currency: sales.currency,
        commissionCurrency: commissions.currency,
        sales: sql<number>`count(*)`,
        attributedSales: sql<number>`count(${sales.partnerId})`,
        amountCents: sumOf(sales.amountCents),
        refundedCents: sumOf(sales.refundedCents),
        commissionCents: sumOf(commissions.amountCents),
      })
      .from(sales)
      .innerJoin(commissions, eq(commissions.saleId, sales.id))
      .where(
        and(sql`${sales.id} in (${chainOf(by).saleIds})`, ofSeveral.has(by) ? sql`not ${isReplacedSale}` : undefined),
      )
      .groupBy(sales.currency, commissions.currency),
  ),
);

const maxEarlierClicks = 1_000;

/** The most clicks that are excluded: the candidates of a sale and of a lead, and the click that decided the sale. */
const maxDecidingClicks = 43;

/** The customer's newest clicks before the decision. `isIndexed` is the condition of the partial index to read. */
const newestClicks = (customerId: SQL, isIndexed: string): SQL => sql`select * from (
  select cc.click_id, cc.shown_at from customer_clicks cc
  where cc.customer_id = (${customerId}) and ${sql.raw(isIndexed)}
    and cc.click_at <= (select at from decided) + ${sql.raw(String(clockToleranceMs))}
  order by cc.click_at desc limit ${sql.raw(String(maxEarlierClicks + maxDecidingClicks))})`;

/**
 * Counts the clicks that were reported for the customers before the decision, except the candidates and the deciding
 * click. Counting stops at 1,000. About twice as many clicks may be read.
 */
export const earlierClicksOf = byKey((by) =>
  readFirst<ExplainQuery, { n: number }>((db) => {
    const { customerIds, leadIds, onlySaleId } = chainOf(by);
    const ofSale = sql`(select c.explanation from commissions c where c.sale_id = ${onlySaleId})`;
    const ofLead = sql`(select l.explanation from leads l where l.id in (${leadIds}) and l.customer_id is not null limit 1)`;
    return db.select({ n: sql<number>`count(*)` }).from(sql`(
        with decided (sale, lead, at) as (
          select sale, lead, coalesce(sale ->> '$.decidedAt', lead ->> '$.decidedAt')
          from (select ${ofSale} as sale, ${ofLead} as lead))
        select 1 from (
          ${newestClicks(customerIds, "cc.evidence = 'key'")} union all
          ${newestClicks(customerIds, "cc.evidence <> 'key'")}) cc, decided
        where cc.shown_at <= decided.at
          and cc.click_id is not decided.sale ->> '$.click.id'
          and cc.click_id not in (
            select value ->> 'clickId' from json_each(coalesce(decided.sale, '{}'), '$.candidates')
            union all select value ->> 'clickId' from json_each(coalesce(decided.lead, '{}'), '$.candidates'))
        limit ${sql.raw(String(maxEarlierClicks))})`);
  }),
);
