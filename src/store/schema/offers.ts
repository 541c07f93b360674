import { sql } from "drizzle-orm";
import { check, index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { GroupId } from "#domain/ids.ts";
import { type OfferCoupons, offerProcessors, offerStates } from "#domain/offers.ts";
import { instant, json } from "./columns.ts";
import { oneOf } from "./one-of.ts";
import { partnerGroups } from "./partner-groups.ts";
import { programId } from "./programs.ts";

/**
 * Versions of the offers for partners' customers. Append-only, because explanations show the offer at the time of a
 * sale.
 */
export const offers = sqliteTable(
  "offers",
  {
    programId: programId(),
    /** The number of the version among all offers of the program. */
    version: integer("version").notNull(),
    /** Null for the program's own offer. */
    groupId: integer("group_id")
      .$type<GroupId>()
      .references(() => partnerGroups.id),
    state: text("state", { enum: offerStates }).notNull(),
    label: text("label"),
    details: text("details"),
    couponIds: json<OfferCoupons>("coupon_ids"),
    until: instant("until"),
    effectiveFrom: instant("effective_from").notNull(),
    /** Id of the operation that wrote the row and its audit entry. */
    operationId: text("operation_id").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.programId, t.version] }),
    index("offers_owner").on(t.programId, t.groupId, t.effectiveFrom, t.version),
    check(
      "offers_state",
      sql`case ${t.state} when 'given' then ${t.label} is not null and ${t.couponIds} is not null else ${oneOf(t.state, ["none", "inherited"])} and ${t.label} is null and ${t.details} is null and ${t.couponIds} is null and ${t.until} is null end`,
    ),
  ],
);

/** The coupon ids of the newest version of each offer. A partner's coupon can't have one of these ids. */
export const offerCoupons = sqliteTable(
  "offer_coupons",
  {
    programId: programId(),
    version: integer("version").notNull(),
    processor: text("processor", { enum: offerProcessors }).notNull(),
    /** The normalized id. */
    codeKey: text("code_key").notNull(),
    /** The id as a member entered it. */
    code: text("code").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.programId, t.version, t.processor] }),
    index("offer_coupons_code").on(t.programId, t.codeKey),
    check("offer_coupons_processor", oneOf(t.processor, offerProcessors)),
  ],
);
