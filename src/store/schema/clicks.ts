import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { ClickRowId, LinkId, PartnerId } from "#domain/ids.ts";
import { flag, id, instant } from "./columns.ts";
import { partners, referralLinks } from "./partners.ts";
import { book } from "./programs.ts";

/** No foreign key points here: a signed click id may be used before its row is written. */
export const clicks = sqliteTable(
  "clicks",
  {
    id: id<ClickRowId>(),
    ...book(),
    clickId: text("click_id").notNull(),
    /** Null: a test click without a link. */
    linkId: integer("link_id")
      .$type<LinkId>()
      .references(() => referralLinks.id),
    partnerId: integer("partner_id")
      .$type<PartnerId>()
      .references(() => partners.id),
    /** The query parameter that held the code. Null: `aff`. */
    codeParam: text("code_param"),
    /** The partner's sub-id. */
    sub: text("sub"),
    eventId: text("event_id"),
    existingClickId: text("existing_click_id"),
    eventName: text("event_name"),
    source: text("source", { enum: ["browser", "server"] }).notNull(),
    isBot: flag("is_bot"),
    isPrefetch: flag("is_prefetch"),
    /** A keyed digest, salted by book and day: equal only for the same visitor on the same day. */
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
    // Few clicks refer to an earlier one of their visitor. An erasure pseudonymizes the reference too.
    index("clicks_existing").on(t.existingClickId).where(sql`existing_click_id is not null`),
    // Covers the newest clicks, counts without bots, and a partner's clicks.
    index("clicks_recent").on(t.programId, t.isTest, t.occurredAt, t.isBot, t.isPrefetch, t.partnerId),
    index("clicks_visitor")
      .on(t.day, t.visitor, t.partnerId)
      .where(sql`visitor is not null and not (is_bot or is_prefetch)`),
  ],
);

/** Callers' own event ids, kept for 24 hours. */
export const clickEventIds = sqliteTable(
  "click_event_ids",
  {
    ...book(),
    /** 0: a test click without a link. */
    linkId: integer("link_id").$type<LinkId>().notNull(),
    eventId: text("event_id").notNull(),
    clickId: text("click_id").notNull(),
    recordedAt: instant("recorded_at").notNull(),
  },
  // Event ids of the tracker and the SDK begin with the time, so that new ones share a page.
  (t) => [primaryKey({ columns: [t.programId, t.isTest, t.eventId, t.linkId] })],
);
