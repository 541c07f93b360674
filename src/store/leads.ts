import { and, asc, eq, getTableColumns, inArray, isNotNull, sql } from "drizzle-orm";
import { byKeyOrClicks, customerIdsByKeyOrClicks } from "./customers.ts";
import { stepSizes } from "./sales.ts";
import { commissions } from "./schema/commissions.ts";
import { customerClicks } from "./schema/customers.ts";
import { leads } from "./schema/leads.ts";
import { partners, referralLinks } from "./schema/partners.ts";
import { sales } from "./schema/sales.ts";
import { everyColumn, insert, lookUp, lookUpFirst, update } from "./statement.ts";

export type LeadRow = typeof leads.$inferSelect;

export const leadsByKeyOrClicks = lookUp(byKeyOrClicks, (db, wanted, key) =>
  db
    .select(getTableColumns(leads))
    .from(wanted)
    .crossJoin(leads)
    .where(inArray(leads.customerId, customerIdsByKeyOrClicks(key)))
    .orderBy(asc(leads.id)),
);

export const unresolvedLead = lookUpFirst(["programId", "isTest", "unresolvedKey"], (db, wanted, key) =>
  db
    .select({ id: leads.id })
    .from(wanted)
    .crossJoin(leads)
    .where(
      and(eq(leads.programId, key.programId), eq(leads.isTest, key.isTest), eq(leads.unresolvedKey, key.unresolvedKey)),
    ),
);

/**
 * Sales that were recorded before the customer's lead attributed them. Included are those that the lead attributed when
 * it was recorded or at `at` (ms).
 */
export const salesAttributedByLead = lookUp([...byKeyOrClicks, "at"], (db, wanted, key) => {
  const decidedAt = sql`(${commissions.explanation} ->> '$.decidedAt')`;
  return db
    .select({ customerId: leads.customerId, saleId: sales.id, commissionId: commissions.id })
    .from(wanted)
    .crossJoin(leads)
    .crossJoin(sales)
    .innerJoin(commissions, eq(commissions.saleId, sales.id))
    .where(
      and(
        inArray(leads.customerId, customerIdsByKeyOrClicks(key)),
        sql`${sales.id} in (
          select s.id from ${sales} s where s.customer_id = ${leads.customerId}
          order by s.occurred_at, s.id limit ${sql.raw(String(stepSizes.many.sales))}
        )`,
        isNotNull(sales.partnerId),
        sql`${sales.createdAt} < ${decidedAt} and ${decidedAt} in (${leads.createdAt}, ${key.at})`,
      ),
    )
    .orderBy(asc(sales.occurredAt), asc(sales.id));
});

/**
 * The click that attributes the lead to its partner. A coupon may have attributed the customer to another partner
 * since.
 */
export const clickOfLead = lookUpFirst(["customerId"], (db, wanted, key) =>
  db
    .select({
      partnerId: partners.id,
      partnerCode: referralLinks.code,
      isPartnerActive: sql<boolean>`${partners.status} = 'active'`.mapWith(Boolean),
      isPartnerExempt: partners.isRiskExempt,
      partnerExternalId: partners.externalId,
      linkId: customerClicks.linkId,
      clickId: customerClicks.clickId,
      clickAt: customerClicks.clickAt,
      evidence: leads.evidence,
      clickAgeDays: leads.clickAgeDays,
      occurredAt: leads.occurredAt,
      explanation: leads.explanation,
    })
    .from(wanted)
    .crossJoin(leads)
    .innerJoin(
      customerClicks,
      and(eq(customerClicks.customerId, leads.customerId), eq(customerClicks.clickId, leads.clickId)),
    )
    .innerJoin(referralLinks, eq(referralLinks.id, customerClicks.linkId))
    .innerJoin(partners, eq(partners.id, leads.partnerId))
    .where(eq(leads.customerId, key.customerId)),
);
export type ClickOfLead = NonNullable<ReturnType<ReturnType<typeof clickOfLead>["decode"]>>;

/**
 * The stored clicks that were candidates when the customer's lead was attributed. `isWithAge` is true if the candidate
 * was stored with its age. A click that was reported before the lead has an age only if the lead didn't contain it
 * again.
 */
export const judgedByLead = lookUp(["customerId"], (db, wanted, key) =>
  db
    .select({
      partnerId: referralLinks.partnerId,
      partnerCode: referralLinks.code,
      linkId: customerClicks.linkId,
      clickId: customerClicks.clickId,
      clickAt: customerClicks.clickAt,
      evidence: customerClicks.evidence,
      hasSettledInBrowser: customerClicks.hasSettledInBrowser,
      isWithAge: sql<boolean>`candidate.value ->> '$.ageDays' is not null`.mapWith(Boolean),
      occurredAt: leads.occurredAt,
      createdAt: leads.createdAt,
    })
    .from(wanted)
    .crossJoin(leads)
    .crossJoin(sql`json_each(${leads.explanation}, '$.candidates') candidate`)
    .innerJoin(
      customerClicks,
      and(
        eq(customerClicks.customerId, leads.customerId),
        eq(customerClicks.clickId, sql`candidate.value ->> '$.clickId'`),
      ),
    )
    .innerJoin(referralLinks, eq(referralLinks.id, customerClicks.linkId))
    .where(eq(leads.customerId, key.customerId)),
);
export type JudgedByLead = ReturnType<ReturnType<typeof judgedByLead>["decode"]>[number];

export const insertLead = insert<LeadRow>((db) => db.insert(leads).values(everyColumn(leads)));

const ofCustomer = ["customerId"] as const;

export const updateLeadOfCustomer = update(leads, ofCustomer, [
  "customerKey",
  "evidence",
  "partnerId",
  "partnerCode",
  "clickId",
  "reason",
  "clickAgeDays",
  "windowDays",
]);

export const setLeadKey = update(leads, ofCustomer, ["customerKey"]);

export const setLeadExplanation = update(leads, ofCustomer, ["explanation"]);

/** Sets the operation that moved the lead to another partner. */
export const setLeadMove = update(leads, ofCustomer, ["movedOperationId"]);
