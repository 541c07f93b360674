import { and, asc, desc, eq, inArray, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { clockToleranceMs } from "../../domain/calendar.ts";
import {
  type ClickFacts,
  type CustomerFacts,
  type DecidedStatus,
  type DecisionFacts,
  decidedStatuses,
  type EntryFacts,
  type LeadFacts,
  type RefundFacts,
  type SalesSum,
  type StorySale,
} from "../../domain/explain/facts.ts";
import { auditEntries } from "../schema/audit.ts";
import { commissions, ledgerEntries } from "../schema/commissions.ts";
import { customers } from "../schema/customers.ts";
import { leads } from "../schema/leads.ts";
import { partners, referralLinks } from "../schema/partners.ts";
import { payoutLineEntries } from "../schema/payout-entries.ts";
import { payoutLines, payouts } from "../schema/payouts.ts";
import { refunds } from "../schema/refunds.ts";
import { sales } from "../schema/sales.ts";
import { users } from "../schema/users.ts";
import { asText, param, readAll, readFirst } from "../statement.ts";
import { byKey, chainOf, type ExplainKey } from "./explain-chain.ts";
import { type ExplainQuery, leadReason, shownClicks } from "./explain-events.ts";
import { isConfirmed, isHeld } from "./held-by-payout.ts";

const refundCallsOf = (saleId: SQL): SQL =>
  sql`select 1 from refunds r where r.sale_id = ${saleId} and r.refund_id = ${param("refundId")}`;

export const found = byKey((by) => {
  const isIn = (flag: "isTest" | "isTestElsewhere"): SQL<boolean> => {
    const { exists, onlySaleId } = chainOf(by, flag);
    const refund =
      by === "transaction" ? sql` and (${param("refundId")} is null or exists (${refundCallsOf(onlySaleId)}))` : sql``;
    return sql<boolean>`${exists}${refund}`.mapWith(Boolean);
  };
  return readFirst<ExplainQuery, { here: boolean; elsewhere: boolean; hasSale: boolean }>((db) =>
    db
      .select({
        here: isIn("isTest"),
        elsewhere: isIn("isTestElsewhere"),
        hasSale: chainOf(by).exists.mapWith(Boolean),
      })
      .from(sql`(select 1)`),
  );
});

/** Two are enough to know that there are several. */
export const customersOf = byKey((by) =>
  readAll<ExplainQuery, CustomerFacts>((db) =>
    db
      .select({
        customerKey: customers.customerKey,
        createdAt: customers.createdAt,
        partnerCode: referralLinks.code,
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

/** The lead that bound the customer before those that bound nobody; of a click, first those that it bound. */
export const leadOf = byKey((by) =>
  readFirst<ExplainQuery, LeadFacts>((db) =>
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
      })
      .from(leads)
      .leftJoin(partners, eq(partners.id, leads.partnerId))
      .where(sql`${leads.id} in (${chainOf(by).leadIds})`)
      .orderBy(
        ...(by === "click" ? [sql`${leads.clickId} is not ${param("key")}`] : []),
        sql`${leads.customerId} is null`,
        asc(leads.id),
      )
      .limit(1),
  ),
);

export const saleOf = byKey((by) =>
  readFirst<ExplainQuery, StorySale>((db) =>
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
        commission: {
          id: commissions.id,
          partnerId: commissions.partnerId,
          status: commissions.status,
          reason: commissions.reason,
          isUnconfirmed: commissions.isUnconfirmed,
          initialCents: commissions.initialCents,
          amountCents: commissions.amountCents,
          currency: commissions.currency,
          holdUntil: commissions.holdUntil,
          explanation: commissions.explanation,
          entryCount: sql<number>`(select count(*) from ledger_entries e where e.commission_id = ${commissions.id})`,
        },
      })
      .from(sales)
      .innerJoin(commissions, eq(commissions.saleId, sales.id))
      .leftJoin(partners, eq(partners.id, commissions.partnerId))
      .where(sql`${sales.id} = ${chainOf(by).onlySaleId}`),
  ),
);

const onlyCommissionId = (by: ExplainKey): SQL =>
  sql`(select c.id from commissions c where c.sale_id = ${chainOf(by).onlySaleId})`;

const maxEntries = 100;

/** Those of refunds last: only they can be many. */
const listedEntryIds = (by: ExplainKey): SQL => sql`select e.id from ledger_entries e
  where e.commission_id = ${onlyCommissionId(by)}
  order by e.kind in ('reversed', 'restored'), e.id limit ${sql.raw(String(maxEntries))}`;

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
        isPaidOut: sql<boolean>`coalesce(${isConfirmed}, 0)`.mapWith(Boolean),
        payoutBy: users.name,
      })
      .from(ledgerEntries)
      .leftJoin(refunds, eq(refunds.id, ledgerEntries.refundId))
      .leftJoin(payoutLineEntries, eq(payoutLineEntries.entryId, ledgerEntries.id))
      .leftJoin(payoutLines, eq(payoutLines.id, payoutLineEntries.lineId))
      .leftJoin(payouts, and(eq(payouts.id, payoutLines.payoutId), isHeld))
      .leftJoin(users, eq(users.id, sql`iif(${isConfirmed}, ${payouts.confirmedBy}, ${payouts.finalizedBy})`))
      .where(sql`${ledgerEntries.id} in (${listedEntryIds(by)})`)
      .orderBy(asc(ledgerEntries.id)),
  ),
);

export const refundOf = readFirst<ExplainQuery, RefundFacts>((db) =>
  db
    .select({
      refundedCents: sql<number>`coalesce(sum(${refunds.refundedCents}), 0)`,
      commissionReversedCents: sql<number>`coalesce(sum(${refunds.commissionReversedCents}), 0)`,
      isCanceled: sql<boolean>`coalesce(max(${refunds.status} = 'restored'), 0)`.mapWith(Boolean),
    })
    .from(refunds)
    .where(and(sql`${refunds.saleId} = ${chainOf("transaction").onlySaleId}`, eq(refunds.refundId, param("refundId")))),
);

/** The newest decision: a member may reject what another one approved. */
export const decisionOf = byKey((by) =>
  readFirst<ExplainQuery, DecisionFacts>((db) =>
    db
      .select({
        status: sql<DecidedStatus>`substr(${auditEntries.action}, length('commission.') + 1)`,
        at: auditEntries.createdAt,
        name: users.name,
        reason: sql<string | null>`${auditEntries.after} ->> '$.reason'`,
      })
      .from(auditEntries)
      .leftJoin(users, eq(users.id, auditEntries.actorId))
      .where(
        and(
          eq(auditEntries.programId, sql.placeholder("programId")),
          sql`${auditEntries.subject} = 'commission ' || ${onlyCommissionId(by)}`,
          inArray(auditEntries.action, [...decidedStatuses.map((status) => `commission.${status}`)]),
        ),
      )
      .orderBy(desc(auditEntries.id))
      .limit(1),
  ),
);

const sumOf = (column: SQLWrapper) => asText(sql`sum(${column})`).mapWith(Number);

export const sumsOf = byKey((by) =>
  readAll<ExplainQuery, SalesSum>((db) =>
    db
      .select({
        currency: sales.currency,
        sales: sql<number>`count(*)`,
        attributedSales: sql<number>`count(${sales.partnerId})`,
        amountCents: sumOf(sales.amountCents),
        refundedCents: sumOf(sales.refundedCents),
        commissionCents: sumOf(commissions.amountCents),
      })
      .from(sales)
      .innerJoin(commissions, eq(commissions.saleId, sales.id))
      .where(sql`${sales.id} in (${chainOf(by).saleIds})`)
      .groupBy(sales.currency)
      .orderBy(sales.currency),
  ),
);

const maxEarlierClicks = 1_000;

/** Clicks that the customers had shown before the decision, besides those that it names. Stops counting at 1,000. */
export const earlierClicksOf = byKey((by) =>
  readFirst<ExplainQuery, { n: number }>((db) => {
    const { customerIds, leadIds, onlySaleId } = chainOf(by);
    const ofSale = sql`(select c.explanation from commissions c where c.sale_id = ${onlySaleId})`;
    const ofLead = sql`(select l.explanation from leads l where l.id in (${leadIds}) and l.customer_id is not null limit 1)`;
    return db.select({ n: sql<number>`count(*)` }).from(sql`(
        select 1 from customer_clicks cc, (select ${ofSale} as sale, ${ofLead} as lead) decided
        where cc.customer_id in (${customerIds})
          and coalesce(cc.shown_at, cc.click_at - ${sql.raw(String(clockToleranceMs))})
            <= coalesce(decided.sale ->> '$.decidedAt', decided.lead ->> '$.decidedAt')
          and cc.click_id is not decided.sale ->> '$.click.id'
          and cc.click_id not in (
            select value ->> 'clickId' from json_each(coalesce(decided.sale, '{}'), '$.candidates')
            union all select value ->> 'clickId' from json_each(coalesce(decided.lead, '{}'), '$.candidates'))
        limit ${sql.raw(String(maxEarlierClicks))})`);
  }),
);
