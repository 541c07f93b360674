import { and, eq, getTableColumns, sql } from "drizzle-orm";
import type { LinkId, PartnerId, ProgramId } from "#domain/ids.ts";
import { type AdjustmentView, selectAdjustments } from "./adjustments.ts";
import type { CouponCodeRow, CouponRow } from "./coupons.ts";
import { type NewestMembership, newestMembershipsWhere } from "./groups.ts";
import type { LinkRow, PartnerRow } from "./partners.ts";
import { paymentStatesWhere } from "./payment-details.ts";
import { auditEntries } from "./schema/audit.ts";
import { couponCodes, coupons } from "./schema/coupons.ts";
import { customers } from "./schema/customers.ts";
import { erasedIdentifiers } from "./schema/erased-identifiers.ts";
import { partnerAccounts } from "./schema/partner-access.ts";
import { partners, referralLinks } from "./schema/partners.ts";
import { adjustments } from "./schema/payouts.ts";
import { sales } from "./schema/sales.ts";
import { given, readAll } from "./statement.ts";

const isIn = (name: string) => sql`in (select value from json_each(${given(name)}))`;

/** Both are JSON arrays. Codes are in lower case. */
type Named = { programId: ProgramId; externalIds: string; codeKeys: string };

const namedIds = sql`(
  select p.id from ${partners} p where p.program_id = ${given("programId")} and p.external_id ${isIn("externalIds")}
  union select k.partner_id from ${referralLinks} k where k.program_id = ${given("programId")} and k.code_key ${isIn("codeKeys")})`;

/** Partners with one of these external ids or codes. */
export const partnersNamed = readAll<Named, PartnerRow>((db) =>
  db.select().from(partners).where(sql`${partners.id} in ${namedIds}`),
);

/** All links of the partners with one of these external ids or codes. */
export const linksOfNamed = readAll<Named, LinkRow>((db) =>
  db.select().from(referralLinks).where(sql`${referralLinks.partnerId} in ${namedIds}`),
);

export const membershipsOfNamed = readAll<Named, NewestMembership>((db) => newestMembershipsWhere(db, namedIds));

/** Partners whose address, or that of an account with access to them, has one of these digests. */
export const partnersOfAddresses = readAll<
  { programId: ProgramId; emailHashes: string },
  { id: PartnerId; emailHash: string }
>((db) =>
  db
    .select({ id: partners.id, emailHash: sql<string>`${partners.emailHash}` })
    .from(partners)
    .where(and(eq(partners.programId, given("programId")), sql`${partners.emailHash} ${isIn("emailHashes")}`))
    .union(
      db
        .select({ id: partnerAccounts.partnerId, emailHash: sql<string>`${partnerAccounts.emailHash}` })
        .from(partnerAccounts)
        .where(
          and(
            eq(partnerAccounts.programId, given("programId")),
            sql`${partnerAccounts.emailHash} ${isIn("emailHashes")}`,
          ),
        ),
    ),
);

/** `firstLinkId` is the partner's first link, which is the one displayed. */
export const partnersOfCodes = readAll<
  { programId: ProgramId; codeKeys: string },
  { codeKey: string; partnerId: PartnerId; isErased: boolean; isPaused: boolean; firstLinkId: LinkId }
>((db) =>
  db
    .select({
      codeKey: referralLinks.codeKey,
      partnerId: referralLinks.partnerId,
      isErased: sql<boolean>`${partners.erasureId} is not null`.mapWith(Boolean),
      isPaused: sql<boolean>`${partners.status} = 'paused'`.mapWith(Boolean),
      firstLinkId: sql<LinkId>`(select min(k.id) from ${referralLinks} k where k.partner_id = ${partners.id})`,
    })
    .from(referralLinks)
    .innerJoin(partners, eq(partners.id, referralLinks.partnerId))
    .where(
      and(
        sql`${referralLinks.codeKey} ${isIn("codeKeys")}`,
        eq(referralLinks.programId, given("programId")),
        eq(partners.isSynthetic, false),
      ),
    ),
);

/**
 * Filters subscription ids to those of a sale or customer in the live book, and digests to those of erased customer
 * keys. Both parameters are JSON arrays.
 */
export const erasedOfImport = readAll<
  { programId: ProgramId; subscriptionIds: string; keyDigests: string },
  { known: string }
>((db) =>
  db
    .select({ known: sql<string>`wanted.value` })
    .from(sql`json_each(${given("subscriptionIds")}) as wanted`)
    .where(
      sql`exists (
        select 1 from ${sales} s
        where s.program_id = ${given("programId")} and s.is_test = 0 and s.subscription_id = wanted.value
      ) or exists (
        select 1 from ${customers} c
        where c.program_id = ${given("programId")} and c.is_test = 0 and c.imported_subscription_id = wanted.value)`,
    )
    .unionAll(
      db
        .select({ known: erasedIdentifiers.digest })
        .from(erasedIdentifiers)
        .where(
          and(
            eq(erasedIdentifiers.programId, given("programId")),
            sql`${erasedIdentifiers.digest} ${isIn("keyDigests")}`,
          ),
        ),
    ),
);

/** Adjustments with these references, of the partners with these codes. */
export const adjustmentsOfReferences = readAll<
  { programId: ProgramId; codeKeys: string; references: string },
  AdjustmentView
>((db) =>
  selectAdjustments(db).where(
    and(
      eq(adjustments.programId, given("programId")),
      sql`${adjustments.partnerId} in (
        select k.partner_id from ${referralLinks} k where k.program_id = ${given("programId")} and k.code_key ${isIn("codeKeys")})`,
      sql`${adjustments.reference} ${isIn("references")}`,
    ),
  ),
);

export type KnownCoupon = CouponRow & Pick<CouponCodeRow, "codeKey">;

/** The coupon of each code. `codeKeys` is a JSON array. */
export const couponsOfKeys = readAll<{ programId: ProgramId; codeKeys: string }, KnownCoupon>((db) =>
  db
    .select({ ...getTableColumns(coupons), codeKey: couponCodes.codeKey })
    .from(couponCodes)
    .innerJoin(coupons, eq(coupons.id, couponCodes.couponId))
    .where(
      sql`${couponCodes.programId} = ${given("programId")}
          and ${couponCodes.codeKey} in (select value from json_each(${given("codeKeys")}))`,
    ),
);

/** The results of an earlier attempt of the same call, by the operation id of each row. */
export const actionsDone = readAll<
  { operationIds: string },
  { operationId: string; action: string; after: string | null }
>((db) =>
  db
    .select({ operationId: auditEntries.operationId, action: auditEntries.action, after: auditEntries.after })
    .from(auditEntries)
    .where(sql`${auditEntries.operationId} ${isIn("operationIds")}`),
);

export const paymentsOfNamed = paymentStatesWhere<Named>(sql`${partners.id} in ${namedIds}`);
