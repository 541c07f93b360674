import { check, index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { GroupId, PartnerId, ProgramId } from "#domain/ids.ts";
import { joinModes } from "#domain/join-page.ts";
import { instant } from "./columns.ts";
import { oneOf } from "./one-of.ts";
import { partnerGroups } from "./partner-groups.ts";
import { partners } from "./partners.ts";
import { programPlaces } from "./places.ts";
import { programId } from "./programs.ts";

export const joinPages = sqliteTable(
  "join_pages",
  {
    programId: programId().primaryKey(),
    mode: text("mode", { enum: joinModes }).notNull(),
    slug: text("slug").notNull(),
    headline: text("headline").notNull(),
    description: text("description").notNull(),
    /** JSON array of questions. */
    questions: text("questions").notNull(),
    /** The group to which partners are added when they join through this page. */
    groupId: integer("group_id")
      .$type<GroupId>()
      .references(() => partnerGroups.id),
  },
  (t) => [check("join_pages_mode", oneOf(t.mode, joinModes))],
);

/**
 * Maps each slug to its program. Only the home database has rows. The program's own row in `join_pages` is
 * authoritative.
 */
export const joinSlugs = sqliteTable(
  "join_slugs",
  {
    slug: text("slug").primaryKey(),
    programId: integer("program_id")
      .$type<ProgramId>()
      .notNull()
      .references(() => programPlaces.programId),
  },
  (t) => [index("join_slugs_program").on(t.programId)],
);

/** Versions of the partner terms. Rows are never updated. */
export const partnerTerms = sqliteTable(
  "partner_terms",
  {
    programId: programId(),
    version: integer("version").notNull(),
    text: text("text").notNull(),
    createdAt: instant("created_at").notNull(),
  },
  (t) => [primaryKey({ columns: [t.programId, t.version] })],
);

/** Rows are never updated. */
export const acceptedTerms = sqliteTable(
  "accepted_terms",
  {
    partnerId: integer("partner_id")
      .$type<PartnerId>()
      .notNull()
      .references(() => partners.id),
    version: integer("version").notNull(),
    accountId: text("account_id").notNull(),
    programId: programId(),
    acceptedAt: instant("accepted_at").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.partnerId, t.version, t.accountId] }),
    index("accepted_terms_program").on(t.programId),
  ],
);
