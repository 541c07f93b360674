import { and, desc, eq, getTableColumns, lt, type SQL, sql } from "drizzle-orm";
import { couponKey } from "#domain/coupons.ts";
import type { CouponId, PartnerId, ProgramId } from "#domain/ids.ts";
import type { ActiveStatus } from "#domain/program-status.ts";
import { type Database, readOne } from "../database.ts";
import { isFirstLink } from "../partners.ts";
import { couponCodes, coupons } from "../schema/coupons.ts";
import { partners, referralLinks } from "../schema/partners.ts";
import { type Compiler, given, type RowOf, readAll, readFirst, unencoded } from "../statement.ts";

const codesOfCoupon = sql<string[]>`(
  select json_group_array(c.code) from (
    select o.code from ${couponCodes} o where o.coupon_id = ${coupons.id} order by o.position) c)`.mapWith(
  (json: string) => JSON.parse(json) as string[],
);

const { programId: _, ...columns } = getTableColumns(coupons);

const selectCoupons = (db: Compiler) =>
  db
    .select({
      ...columns,
      codes: codesOfCoupon,
      partnerCode: referralLinks.code,
      partnerName: partners.name,
    })
    .from(coupons)
    .innerJoin(partners, eq(partners.id, coupons.partnerId))
    .innerJoin(referralLinks, isFirstLink);
export type CouponView = RowOf<typeof selectCoupons>;

const isOfProgram = eq(coupons.programId, given("programId"));
const isBefore = lt(coupons.id, given("before"));

type Position = { before: number; limit: number };

type InProgram = { programId: ProgramId } & Position;

const pageOf = <P extends InProgram>(...conditions: readonly SQL[]) =>
  readAll<P, CouponView>((db) =>
    selectCoupons(db)
      .where(and(isOfProgram, ...conditions, isBefore))
      .orderBy(desc(coupons.id))
      .limit(given("limit")),
  );

const isOfPartner = eq(coupons.partnerId, given("partnerId"));
const hasStatus = eq(coupons.status, given("status"));

const couponsOfProgram = pageOf<InProgram>();
const couponsOfPartner = pageOf<InProgram & { partnerId: PartnerId }>(isOfPartner);
const couponsOfStatus = pageOf<InProgram & { status: ActiveStatus }>(hasStatus);
const couponsOfBoth = pageOf<InProgram & { partnerId: PartnerId; status: ActiveStatus }>(isOfPartner, hasStatus);

export const couponOfCode = readAll<{ programId: ProgramId; codeKey: string } & Position, CouponView>((db) =>
  selectCoupons(db)
    .where(
      and(
        sql`${coupons.id} = (
          select o.coupon_id from ${couponCodes} o
          where o.program_id = ${unencoded("programId")} and o.code_key = ${unencoded("codeKey")})`,
        isBefore,
      ),
    )
    .limit(given("limit")),
);

const couponById = readFirst<{ programId: ProgramId; id: CouponId }, CouponView>((db) =>
  selectCoupons(db).where(and(isOfProgram, eq(coupons.id, given("id")))),
);

/** An undefined field matches any partner, code or status. */
export interface CouponFilter {
  readonly partnerId: PartnerId | undefined;
  readonly codeKey: string | undefined;
  readonly status: ActiveStatus | undefined;
}

function pageFor(of: InProgram, { partnerId, status }: CouponFilter) {
  if (partnerId === undefined) return status === undefined ? couponsOfProgram(of) : couponsOfStatus({ ...of, status });
  return status === undefined ? couponsOfPartner({ ...of, partnerId }) : couponsOfBoth({ ...of, partnerId, status });
}

export async function listCoupons(
  database: Database,
  programId: ProgramId,
  filter: CouponFilter,
  position: Position,
): Promise<readonly CouponView[]> {
  const { partnerId, codeKey, status } = filter;
  if (codeKey === undefined) return await readOne(database, pageFor({ programId, ...position }, filter));
  const found = await readOne(database, couponOfCode({ programId, codeKey, ...position }));
  return found.filter(
    (coupon) =>
      (partnerId === undefined || coupon.partnerId === partnerId) && (status === undefined || coupon.status === status),
  );
}

export async function findCoupon(
  database: Database,
  programId: ProgramId,
  id: CouponId,
): Promise<CouponView | undefined> {
  return await readOne(database, couponById({ programId, id }));
}

const ownCoupon = (db: Compiler) =>
  db
    .select({
      codes: codesOfCoupon,
      status: coupons.status,
      validFrom: coupons.validFrom,
      validUntil: coupons.validUntil,
    })
    .from(coupons);

export interface CouponsOfPartner {
  readonly programId: ProgramId;
  readonly partnerId: PartnerId;
  readonly after: string | undefined;
}

type OwnPage = { programId: ProgramId; partnerId: PartnerId; afterKey: string | null; limit: number };

const ownCoupons = readAll<OwnPage, RowOf<typeof ownCoupon>>((db) =>
  ownCoupon(db)
    .where(
      and(
        isOfProgram,
        eq(coupons.partnerId, given("partnerId")),
        sql`(${unencoded("afterKey")} is null or ${coupons.id} < (
          select o.coupon_id from ${couponCodes} o
          where o.program_id = ${unencoded("programId")} and o.code_key = ${unencoded("afterKey")}))`,
      ),
    )
    .orderBy(desc(coupons.id))
    .limit(given("limit")),
);

/** Newest first. `after` is a code of the last coupon on the previous page. */
export async function listPartnerCoupons(
  database: Database,
  { after, ...asked }: CouponsOfPartner & { readonly limit: number },
): Promise<readonly RowOf<typeof ownCoupon>[]> {
  const afterKey = after === undefined ? null : couponKey(after);
  return await readOne(database, ownCoupons({ ...asked, afterKey }));
}
