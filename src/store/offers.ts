import { and, count, desc, eq, getTableColumns, type SQL, sql } from "drizzle-orm";
import type { GroupId, LinkId, PartnerId, ProgramId } from "#domain/ids.ts";
import { type OfferTerms, offerOf } from "#domain/offers.ts";
import { offerCoupons, offers } from "./schema/offers.ts";
import {
  type Compiler,
  everyColumn,
  given,
  insert,
  type Read,
  readAll,
  readCount,
  readFirst,
  unencoded,
  write,
} from "./statement.ts";

export type OfferRow = typeof offers.$inferSelect;
export type OfferCouponRow = typeof offerCoupons.$inferSelect;

/** The owner of an offer: the program, or one of its groups. */
export type OfferOwner = { readonly programId: ProgramId; readonly groupId: GroupId | null };

/** `at` is in milliseconds. */
type At = { readonly programId: ProgramId; readonly at: number };
type OfPartner = At & { readonly partnerId: PartnerId };
type OfLink = At & { readonly linkId: LinkId };

const isOfProgram = eq(offers.programId, given("programId"));
const isOfOwner = and(isOfProgram, sql`${offers.groupId} is ${unencoded("groupId")}`);

export const newestOffer = readFirst<OfferOwner, OfferRow>((db) =>
  db.select().from(offers).where(isOfOwner).orderBy(desc(offers.effectiveFrom), desc(offers.version)).limit(1),
);

export const newestOfferVersion = readFirst<{ programId: ProgramId }, { version: number }>((db) =>
  db.select({ version: offers.version }).from(offers).where(isOfProgram).orderBy(desc(offers.version)).limit(1),
);

export const offerVersionCount = readCount<OfferOwner>((db) => db.select({ n: count() }).from(offers).where(isOfOwner));

export const insertOffer = insert<OfferRow>((db) => db.insert(offers).values(everyColumn(offers)));

export const insertOfferCoupon = insert<OfferCouponRow>((db) =>
  db.insert(offerCoupons).values(everyColumn(offerCoupons)),
);

export const deleteOfferCoupons = write<{ programId: ProgramId; version: number }>((db) =>
  db
    .delete(offerCoupons)
    .where(and(eq(offerCoupons.programId, given("programId")), eq(offerCoupons.version, given("version")))),
);

/** Returns those of the coupon codes that are coupon ids of offers. `codeKeys` is a JSON array. */
export const codesOfOffers = readAll<
  { programId: ProgramId; codeKeys: string },
  Pick<OfferCouponRow, "code" | "codeKey">
>((db) =>
  db
    .selectDistinct({ code: offerCoupons.code, codeKey: offerCoupons.codeKey })
    .from(offerCoupons)
    .where(
      sql`${offerCoupons.programId} = ${given("programId")}
        and ${offerCoupons.codeKey} in (select value from json_each(${given("codeKeys")}))`,
    ),
);

interface Then {
  readonly programId: SQL;
  readonly at: SQL;
}
const then: Then = { programId: unencoded("programId"), at: unencoded("at") };

const versionAt = ({ programId, at }: Then, groupId: SQL): SQL => sql`(
  select v.version from ${offers} v
  where v.program_id = ${programId} and v.group_id is ${groupId} and v.effective_from <= ${at}
  order by v.effective_from desc, v.version desc limit 1)`;

const groupAt = ({ programId, at }: Then, partnerId: SQL): SQL => sql`(
  select m.group_id from group_memberships m
  where m.program_id = ${programId} and m.partner_id = ${partnerId} and m.effective_from <= ${at}
  order by m.effective_from desc limit 1)`;

const { state, label, details, couponIds, until } = getTableColumns(offers);

/** Sorts the group's version in force before the program's. */
const versionsInForce = (db: Compiler, groupId: SQL) =>
  db
    .select({ state, label, details, couponIds, until })
    .from(offers)
    .where(and(isOfProgram, sql`${offers.version} in (${versionAt(then, groupId)}, ${versionAt(then, sql`null`)})`))
    .orderBy(sql`${offers.groupId} is null`);
type Versions = ReturnType<typeof versionsInForce>["_"]["result"];

const ofGroup = readAll<OfferOwner & At, Versions[number]>((db) => versionsInForce(db, unencoded("groupId")));

const ofPartner = readAll<OfPartner, Versions[number]>((db) =>
  versionsInForce(db, groupAt(then, unencoded("partnerId"))),
);

const ofLink = readAll<OfLink, Versions[number]>((db) =>
  versionsInForce(
    db,
    groupAt(
      then,
      sql`(select l.partner_id from referral_links l
      where l.id = ${unencoded("linkId")} and l.program_id = ${unencoded("programId")})`,
    ),
  ),
);

const decided = ({ decode, ...read }: Read<Versions>): Read<OfferTerms | undefined> => ({
  ...read,
  decode: (rows) => offerOf(decode(rows)),
});

/**
 * The offer for customers of the group's partners or, without a group, of partners who are in no group. Returns the
 * offer in force at `at` (ms) even if it has ended: see `isOfferOver`.
 */
export const offerOfGroup = (owner: OfferOwner & At): Read<OfferTerms | undefined> => decided(ofGroup(owner));

/** The offer for customers of the partner. Like `offerOfGroup`, it may have ended. */
export const offerOfPartner = (of: OfPartner): Read<OfferTerms | undefined> => decided(ofPartner(of));

/** The offer for customers of the partner with this link. Like `offerOfGroup`, it may have ended. */
export const offerOfLink = (of: OfLink): Read<OfferTerms | undefined> => decided(ofLink(of));

/**
 * The versions in force for the partner of sale `s` with commission `c` when the sale happened, in the order that
 * `offerOf` expects.
 */
export function versionsOfSale(db: Compiler, from: SQL) {
  const sold = { programId: sql`s.program_id`, at: sql`s.occurred_at` };
  return db
    .select({ state, label, details, couponIds, until })
    .from(from)
    .innerJoin(
      offers,
      sql`${offers.programId} = s.program_id
        and ${offers.version} in (${versionAt(sold, groupAt(sold, sql`c.partner_id`))}, ${versionAt(sold, sql`null`)})`,
    )
    .orderBy(sql`${offers.groupId} is null`);
}
