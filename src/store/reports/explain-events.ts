import { and, asc, eq, inArray, type SQL, sql } from "drizzle-orm";
import type { StoryType } from "#domain/explain/event-order.ts";
import type { ProgramId } from "#domain/ids.ts";
import { shownStatusOf } from "../payout-ranges.ts";
import { clicks } from "../schema/clicks.ts";
import { commissions } from "../schema/commissions.ts";
import { leads } from "../schema/leads.ts";
import { referralLinks } from "../schema/partners.ts";
import { refunds } from "../schema/refunds.ts";
import { sales } from "../schema/sales.ts";
import { type Compiler, given, type Read, readPacked, type Selecting, unencoded } from "../statement.ts";
import { byKey, type Chain, type ChainKey, chainOf } from "./explain-chain.ts";

/** `isTestElsewhere` is `isTest` of the program's other book. */
export type ExplainQuery = {
  programId: ProgramId;
  isTest: boolean;
  isTestElsewhere: boolean;
  key: number | string;
  refundId: string | null;
};

/** Selects events after this instant, and events at this instant with a greater id. */
type EventsAfter = { afterAt: number; afterId: number | string; limit: number };
type EventsQuery = ExplainQuery & EventsAfter;

const isAfter = (at: SQL, id: SQL): SQL => sql`(${at}, ${id}) > (${unencoded("afterAt")}, ${unencoded("afterId")})`;

/** The customer's next clicks, in order of time. `isIndexed` is the condition of the partial index to read. */
const pageOfClicks = (customerId: SQL, isIndexed: string): SQL => sql`select * from (
  select cc.click_id, cc.link_id, cc.click_at from customer_clicks cc
  where cc.customer_id = (${customerId}) and ${sql.raw(isIndexed)} and ${isAfter(sql`cc.click_at`, sql`cc.click_id`)}
  order by cc.click_at, cc.click_id limit ${unencoded("limit")})`;

/**
 * A page of the clicks reported for a customer, and clicks that only a lead refers to. Each row `shown` has click id,
 * link and instant.
 */
export function shownClicks(by: ChainKey, { customerIds, leadIds }: Chain): SQL {
  // The unary plus keeps SQLite from scanning all clicks by the index on (program, book).
  const stored = (condition: SQL) => sql`select k.click_id, k.link_id, k.occurred_at as click_at from clicks k
    where +k.program_id = ${unencoded("programId")} and +k.is_test = ${unencoded("isTest")} and ${condition}`;
  // The same click may be reported for very many customers. All these rows have the same values, so one is enough.
  const all =
    by === "click"
      ? sql`select cc.click_id, cc.link_id, cc.click_at from customer_clicks cc
            where cc.customer_id in (${customerIds} limit 1) and cc.click_id = ${unencoded("key")}
          union all ${stored(sql`k.click_id = ${unencoded("key")}`)}`
      : sql`${pageOfClicks(customerIds, "cc.evidence = 'key'")} union all
          ${pageOfClicks(customerIds, "cc.evidence <> 'key'")} union all
          ${stored(sql`k.click_id in (select l.click_id from leads l where l.id in (${leadIds}))`)}`;
  return sql`(select click_id, min(link_id) as link_id, min(click_at) as click_at from (${all}) group by click_id) shown`;
}

/**
 * The reason in the reply to the lead, taken from the explanation. The column has the customer's current reason, which
 * may come from an earlier sale.
 */
export const leadReason = sql<string | null>`iif(${leads.partnerId} is null,
  coalesce(${leads.explanation} ->> '$.reason', ${leads.reason}), null)`;

const selectClicks = (db: Compiler, by: ChainKey) =>
  db
    .select({
      id: sql<string>`shown.click_id`,
      occurredAt: sql<number>`shown.click_at`,
      receivedAt: clicks.createdAt,
      partnerCode: referralLinks.code,
      codeParam: clicks.codeParam,
      sub: clicks.sub,
      channel: clicks.source,
      isBot: clicks.isBot,
      pageUrl: clicks.pageUrl,
      referrerUrl: clicks.referrerUrl,
      country: clicks.country,
      deviceType: clicks.deviceType,
      os: clicks.os,
      browser: clicks.browser,
    })
    .from(shownClicks(by, chainOf(by)))
    .leftJoin(clicks, eq(clicks.clickId, sql`shown.click_id`))
    .leftJoin(referralLinks, eq(referralLinks.id, sql`shown.link_id`))
    .where(isAfter(sql`shown.click_at`, sql`shown.click_id`))
    .orderBy(sql`shown.click_at`, sql`shown.click_id`)
    .limit(given("limit"));

const selectLeads = (db: Compiler, by: ChainKey) =>
  db
    .select({
      id: leads.id,
      occurredAt: leads.occurredAt,
      receivedAt: leads.createdAt,
      partnerCode: leads.partnerCode,
      customerKey: leads.customerKey,
      clickId: leads.clickId,
      evidence: leads.evidence,
      provisional: leads.isProvisional,
      reason: leadReason,
      pageUrl: leads.pageUrl,
      eventName: leads.eventName,
    })
    .from(leads)
    .where(and(sql`${leads.id} in (${chainOf(by).leadIds})`, isAfter(sql`${leads.occurredAt}`, sql`${leads.id}`)))
    .orderBy(asc(leads.occurredAt), asc(leads.id))
    .limit(given("limit"));

const selectSales = (db: Compiler, by: ChainKey) =>
  db
    .select({
      id: sales.id,
      occurredAt: sales.occurredAt,
      receivedAt: sales.createdAt,
      partnerCode: sales.partnerCode,
      transactionId: sales.transactionId,
      amountCents: sales.amountCents,
      currency: sales.currency,
      refundedCents: sales.refundedCents,
      customerKey: sales.sentCustomerKey,
      clickId: sales.sentClickId,
      saleType: sales.saleType,
      isRecurring: sales.isRecurring,
      subscriptionId: sales.subscriptionId,
      subscriptionInterval: sales.subscriptionInterval,
      productId: sales.productId,
      eventName: sales.eventName,
      reason: sql<string | null>`coalesce(${sales.reason}, ${commissions.reason})`,
      commissionId: commissions.id,
      commissionStatus: shownStatusOf(),
      commissionCents: commissions.amountCents,
      commissionCurrency: commissions.currency,
    })
    .from(sales)
    .innerJoin(commissions, eq(commissions.saleId, sales.id))
    .where(and(chainOf(by).hasSale, isAfter(sql`${sales.occurredAt}`, sql`${sales.id}`)))
    .orderBy(asc(sales.occurredAt), asc(sales.id))
    .limit(given("limit"));

const selectRefunds = (db: Compiler, by: ChainKey) =>
  db
    .select({
      id: refunds.id,
      occurredAt: refunds.occurredAt,
      receivedAt: refunds.createdAt,
      partnerCode: sales.partnerCode,
      refundId: refunds.refundId,
      saleId: refunds.saleId,
      transactionId: sales.transactionId,
      refundedCents: refunds.refundedCents,
      currency: refunds.currency,
      status: refunds.status,
      reason: refunds.outcomeReason,
      refundReason: refunds.reason,
      commissionReversedCents: refunds.commissionReversedCents,
      /**
       * The commission's currency at the time of the refund. A later move of the commission can change its currency.
       */
      commissionCurrency: sql<string>`coalesce((
        select e.currency from ledger_entries e where e.refund_id = ${refunds.id}), ${refunds.currency})`,
    })
    .from(refunds)
    .innerJoin(sales, eq(sales.id, refunds.saleId))
    .where(
      and(
        inArray(refunds.saleId, sql`(${chainOf(by).saleIds})`),
        isAfter(sql`${refunds.occurredAt}`, sql`${refunds.id}`),
      ),
    )
    .orderBy(asc(refunds.occurredAt), asc(refunds.id))
    .limit(given("limit"));

function ofType<Type extends StoryType, Row>(type: Type, select: (db: Compiler, by: ChainKey) => Selecting<Row>) {
  const reads = byKey((by) => readPacked<EventsQuery, Row>((db) => select(db, by)));
  return (by: ChainKey, query: EventsQuery): Read<(Row & { readonly type: Type })[]> => {
    const read = reads(by)(query);
    return { ...read, decode: (rows) => read.decode(rows).map((event) => ({ type, ...event })) };
  };
}

export const eventsOf = {
  click: ofType("click", selectClicks),
  lead: ofType("lead", selectLeads),
  sale: ofType("sale", selectSales),
  refund: ofType("refund", selectRefunds),
};

export type StoryEvent = ReturnType<ReturnType<(typeof eventsOf)[StoryType]>["decode"]>[number];
