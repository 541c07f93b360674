import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { ClickRowId, LinkId, PartnerId } from "#domain/ids.ts";
import { flag, id, instant } from "./columns.ts";
import { partners, referralLinks } from "./partners.ts";
import { book } from "./programs.ts";

/** No foreign key refers to clicks: a lead or sale may contain a signed click id before the click's row is written. */
export const clicks = sqliteTable(
  "clicks",
  {
    id: id<ClickRowId>(),
    ...book(),
    clickId: text("click_id").notNull(),
    /** Null for a test click without a link. */
    linkId: integer("link_id")
      .$type<LinkId>()
      .references(() => referralLinks.id),
    partnerId: integer("partner_id")
      .$type<PartnerId>()
      .references(() => partners.id),
    /** The query parameter that contained the partner's code. Null means `aff`. */
    codeParam: text("code_param"),
    /** The sub-id that the partner added to the link. */
    sub: text("sub"),
    eventId: text("event_id"),
    existingClickId: text("existing_click_id"),
    eventName: text("event_name"),
    source: text("source", { enum: ["browser", "server"] }).notNull(),
    isBot: flag("is_bot"),
    isPrefetch: flag("is_prefetch"),
    /**
     * A digest of the visitor with a secret key, salted by book and day. It is equal only for the same visitor on the
     * same day.
     */
    visitor: text("visitor"),
    pageUrl: text("page_url"),
    referrerUrl: text("referrer_url"),
    pageTitle: text("page_title"),
    screenResolution: text("screen_resolution"),
    viewportSize: text("viewport_size"),
    language: text("language"),
    timezone: text("timezone"),
    country: text("country"),
    region: text("region"),
    city: text("city"),
    deviceType: text("device_type"),
    os: text("os"),
    browser: text("browser"),
    occurredAt: instant("occurred_at").notNull(),
    createdAt: instant("created_at").notNull(),
    day: text("day").notNull(),
  },
  (t) => [
    uniqueIndex("clicks_click_id").on(t.clickId),
    // Partial, because few clicks refer to an earlier click of the visitor. Erasures use it to pseudonymize the
    // reference.
    index("clicks_existing").on(t.existingClickId).where(sql`existing_click_id is not null`),
    // Covers three reads: the newest clicks, click counts without bots, and the clicks of one partner.
    index("clicks_recent").on(t.programId, t.isTest, t.occurredAt, t.isBot, t.isPrefetch, t.partnerId),
    index("clicks_visitor")
      .on(t.day, t.visitor, t.partnerId)
      .where(sql`visitor is not null and not (is_bot or is_prefetch)`),
  ],
);

/** Event ids that callers sent with clicks. They are kept for 24 hours to deduplicate clicks. */
export const clickEventIds = sqliteTable(
  "click_event_ids",
  {
    ...book(),
    /** 0 for a test click without a link. */
    linkId: integer("link_id").$type<LinkId>().notNull(),
    eventId: text("event_id").notNull(),
    clickId: text("click_id").notNull(),
    recordedAt: instant("recorded_at").notNull(),
  },
  // Event ids of the tracker and the SDK begin with the time. So new rows are next to each other in the index.
  (t) => [primaryKey({ columns: [t.programId, t.isTest, t.eventId, t.linkId] })],
);
