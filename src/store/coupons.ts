import { and, count, eq, getTableColumns, type SQL, sql } from "drizzle-orm";
import { caps } from "#domain/caps.ts";
import type { CouponTerms } from "#domain/coupons.ts";
import type { CouponId, CustomerId, LinkId, PartnerId, ProgramId } from "#domain/ids.ts";
import { firstSalesOf } from "./customers.ts";
import { isFirstLink } from "./partners.ts";
import { isReplaced } from "./sales.ts";
import { commissions, ledgerEntries } from "./schema/commissions.ts";
import { couponCodes, coupons } from "./schema/coupons.ts";
import { customers, pendingMoves } from "./schema/customers.ts";
import { partners, referralLinks } from "./schema/partners.ts";
import { sales } from "./schema/sales.ts";
import {
  type Compiler,
  everyColumn,
  given,
  insert,
  lookUp,
  lookUpFirst,
  type Read,
  readAll,
  readCount,
  readFirst,
  unencoded,
  update,
} from "./statement.ts";

export type CouponRow = typeof coupons.$inferSelect;
export type CouponCodeRow = typeof couponCodes.$inferSelect;

const fixedColumns = ["id", "programId", "partnerId", "createdAt"] as const;
/** The columns that a change of a coupon may set. */
export type CouponSettings = Omit<CouponRow, (typeof fixedColumns)[number]>;

const isSetting = (name: string): name is keyof CouponSettings => !fixedColumns.some((fixed) => fixed === name);
export const settingNames = Object.keys(getTableColumns(coupons)).filter(isSetting);

/** The settings as sent. A call from an older version may lack newer columns. */
export type NewSettings = Pick<CouponSettings, "status"> & Partial<CouponSettings>;

export const settingsOf = (of: NewSettings): CouponSettings =>
  Object.fromEntries(settingNames.map((name) => [name, of[name] ?? null])) as Record<keyof CouponSettings, never>;

/** The coupon to which a code belongs, and its partner's first link. */
export interface CouponOfCode extends CouponTerms {
  readonly codeKey: string;
  readonly couponId: CouponId;
  readonly partnerId: PartnerId;
  readonly partnerCode: string;
  readonly linkId: LinkId;
  readonly isPartnerExempt: boolean;
  readonly partnerExternalId: string | null;
}

const couponsOfCodes = (db: Compiler, wanted: SQL) =>
  db
    .select({
      codeKey: couponCodes.codeKey,
      couponId: coupons.id,
      partnerId: coupons.partnerId,
      partnerCode: referralLinks.code,
      linkId: referralLinks.id,
      isActive: sql<boolean>`${coupons.status} = 'active'`.mapWith(Boolean),
      isPartnerActive: sql<boolean>`${partners.status} = 'active'`.mapWith(Boolean),
      isPartnerExempt: partners.isRiskExempt,
      partnerExternalId: partners.externalId,
      validFrom: coupons.validFrom,
      validUntil: coupons.validUntil,
    })
    .from(wanted)
    .crossJoin(couponCodes)
    .innerJoin(coupons, eq(coupons.id, couponCodes.couponId))
    .innerJoin(partners, eq(partners.id, coupons.partnerId))
    .innerJoin(referralLinks, isFirstLink);

/** `codeKeys` is a JSON array. */
export const couponsByCodes = lookUp<"programId" | "codeKeys", CouponOfCode>(
  ["programId", "codeKeys"],
  (db, wanted, key) =>
    couponsOfCodes(db, wanted).where(
      and(
        sql`${couponCodes.programId} = ${key.programId}`,
        sql`${couponCodes.codeKey} in (select value from json_each(${key.codeKeys}))`,
      ),
    ),
);

/** Returns each coupon with its first code. `couponIds` is a JSON array. */
export const couponsByIds = lookUp<"programId" | "couponIds", CouponOfCode>(
  ["programId", "couponIds"],
  (db, wanted, key) =>
    couponsOfCodes(db, wanted).where(
      and(
        sql`${couponCodes.couponId} in (select value from json_each(${key.couponIds})) and ${couponCodes.position} = 0`,
        sql`${coupons.programId} = ${key.programId}`,
      ),
    ),
);

/** Filters coupon codes to those that already exist in the program. `codeKeys` is a JSON array. */
export const takenCodes = readAll<{ programId: ProgramId; codeKeys: string }, Pick<CouponCodeRow, "code" | "couponId">>(
  (db) =>
    db
      .select({ code: couponCodes.code, couponId: couponCodes.couponId })
      .from(couponCodes)
      .where(
        sql`${couponCodes.programId} = ${given("programId")}
          and ${couponCodes.codeKey} in (select value from json_each(${given("codeKeys")}))`,
      ),
);

export const couponOfProgram = readFirst<{ programId: ProgramId; id: CouponId }, CouponRow>((db) =>
  db
    .select()
    .from(coupons)
    .where(and(eq(coupons.id, given("id")), eq(coupons.programId, given("programId")))),
);

/** Stops counting just above the cap. */
export const couponCount = readCount<{ programId: ProgramId }>((db) =>
  db.select({ n: count() }).from(
    db
      .select({ id: coupons.id })
      .from(coupons)
      .where(eq(coupons.programId, given("programId")))
      .limit(caps.coupons.max + 1)
      .as("counted"),
  ),
);

export const insertCoupon = insert<CouponRow>((db) => db.insert(coupons).values(everyColumn(coupons)));

export const insertCouponCode = insert<CouponCodeRow>((db) => db.insert(couponCodes).values(everyColumn(couponCodes)));

export const updateCoupon = update(coupons, ["id"], settingNames);

export interface FormerPartners {
  readonly customerId: CustomerId;
  readonly partnerIds: readonly PartnerId[];
}

const firstValid = (s: SQL): SQL => sql`(
  select value ->> '$.partnerId' from json_each(${s}.coupons) where value ->> '$.state' = 'valid' order by key limit 1)`;

/** True if the commission `c` of sale `f` hasn't been moved to the customer's current partner yet. */
const hasYetToLeave = (customerId: SQL): SQL => sql`(
  c.source = 'coupon' and c.approved_at is null and c.status in ('pending', 'void', 'reversed') and exists (
    select 1 from ${pendingMoves} w join ${customers} u on u.id = w.customer_id
    where w.customer_id = ${customerId} and c.partner_id is not u.partner_id
      and (f.occurred_at, f.id) > (w.after_occurred_at, w.after_sale_id)
  ) and not exists (select 1 from ${sales} s where s.id = f.id and ${isReplaced}))`;

/**
 * Former partners of the customer, and those who are about to become former partners. Either a commission of one of the
 * customer's first sales has already moved away from the partner (even with an amount of 0), or a running reattribution
 * will move it away.
 */
const leftBy = (customerId: SQL): SQL => {
  const leaving = sql`select m.partner_id from ${ledgerEntries} m
    where m.commission_id = c.id and m.kind = 'moved' and m.amount_cents < 0`;
  const before = sql`json_insert(coalesce(c.explanation -> '$.movedFrom.before', '[]'),
    '$[#]', c.explanation -> '$.movedFrom.partnerId')`;
  const isToLeave = hasYetToLeave(customerId);
  // Reads the sales in one pass. The condition excludes most sales, because few sales ever move to another partner.
  return sql`(
    select distinct p.value as partner_id from ${firstSalesOf(customerId)} join ${commissions} c on c.sale_id = f.id
      join json_each((select json_group_array(partner_id) from (
        ${leaving} union all select b.value from json_each(${before}) b where b.value <> c.partner_id
        union all select c.partner_id where ${isToLeave}))) p
    where c.explanation -> '$.movedFrom' is not null or exists (${leaving}) or ${isToLeave}) as e`;
};

const others = (key: Readonly<Record<"customerId" | "saleId", SQL>>): SQL =>
  firstSalesOf(key.customerId, sql`s.id <> ${key.saleId} and not ${isReplaced}`);

/**
 * The sale whose coupon attributes the customer if the sale `saleId` is ignored. A sale with a coupon qualifies if it
 * was the customer's earliest sale when it was reported. The earliest qualifying sale is returned. Coupons of the
 * customer's former partners don't qualify. A correction counts as reported when the original sale was. `movedTo` is
 * the instant (ms) to which a correction moves the sale `saleId`. At that instant, the sale still counts as an earlier
 * sale of the customer. `movedTo` is null if the sale becomes another customer's.
 */
export const bindingSaleWithout = lookUpFirst(["customerId", "saleId", "movedTo"], (db, wanted, key) =>
  db
    .select({
      occurredAt: sales.occurredAt,
      partnerId: partners.id,
      partnerCode: referralLinks.code,
      linkId: referralLinks.id,
      isPartnerActive: sql<boolean>`${partners.status} = 'active'`.mapWith(Boolean),
      isPartnerExempt: partners.isRiskExempt,
      partnerExternalId: partners.externalId,
    })
    .from(wanted)
    .crossJoin(sales)
    .innerJoin(partners, sql`${partners.id} = ${firstValid(sql.raw('"sales"'))}`)
    .innerJoin(referralLinks, isFirstLink)
    .where(
      sql`${sales.id} = (
        select b.id from (select f.* from ${others(key)}) b
        where b.coupons is not null and not exists (
            select 1 from ${others(key)} where f.occurred_at <= b.occurred_at and f.first_id < b.first_id)
          and not exists (
            select 1 from ${sales} o where o.id = ${key.saleId} and ${key.movedTo} <= b.occurred_at
              and coalesce(o.corrected_sale_id, o.id) < b.first_id)
          and ${firstValid(sql.raw("b"))} not in (
            select e.partner_id from ${leftBy(key.customerId)}
              where e.partner_id is not (select u.partner_id from ${customers} u where u.id = ${key.customerId}))
        order by b.occurred_at, b.id limit 1)`,
    ),
);
export type BindingSale = NonNullable<ReturnType<ReturnType<typeof bindingSaleWithout>["decode"]>>;

const partnersLeft = readAll<{ customerId: CustomerId }, { partnerId: PartnerId }>((db) =>
  db.selectDistinct({ partnerId: sql<PartnerId>`e.partner_id` }).from(sql`${leftBy(unencoded("customerId"))}`),
);

export function formerPartnersOf(customerId: CustomerId): Read<FormerPartners> {
  const { decode, ...read } = partnersLeft({ customerId });
  return { ...read, decode: (rows) => ({ customerId, partnerIds: decode(rows).map(({ partnerId }) => partnerId) }) };
}
