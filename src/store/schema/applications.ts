import { sql } from "drizzle-orm";
import { check, index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { ApplicationId, NoteId, PartnerId } from "#domain/ids.ts";
import { applicationStatuses } from "#domain/join-page.ts";
import { id, instant } from "./columns.ts";
import { notes } from "./notes.ts";
import { oneOf } from "./one-of.ts";
import { partners } from "./partners.ts";
import { programId } from "./programs.ts";

/** The latest application of each account. */
export const applications = sqliteTable(
  "applications",
  {
    id: id<ApplicationId>(),
    programId: programId(),
    accountId: text("account_id").notNull(),
    /** Empty: it was declined so long ago that its texts were deleted. */
    name: text("name").notNull(),
    website: text("website"),
    /** JSON, by the id of the question. */
    answers: text("answers").notNull(),
    /** The accepted version. Null: there were no terms. */
    termsVersion: integer("terms_version"),
    status: text("status", { enum: applicationStatuses }).notNull(),
    partnerId: integer("partner_id")
      .$type<PartnerId>()
      .references(() => partners.id),
    partnerNoteId: integer("partner_note_id")
      .$type<NoteId>()
      .references(() => notes.id),
    decidedAt: instant("decided_at"),
    /** The program's day on which its open page approved it. Null: not approved, or by a member. */
    openedOn: text("opened_on"),
    createdAt: instant("created_at").notNull(),
  },
  (t) => [
    uniqueIndex("applications_account").on(t.programId, t.accountId),
    index("applications_of_account").on(t.accountId),
    index("applications_open").on(t.programId).where(sql`status = 'pending'`),
    index("applications_opened").on(t.programId, t.openedOn).where(sql`opened_on is not null`),
    index("applications_declined").on(t.programId, t.decidedAt).where(sql`status = 'declined' and name <> ''`),
    check("applications_status", oneOf(t.status, applicationStatuses)),
    check("applications_partner", sql`(${t.status} = 'approved') = (${t.partnerId} is not null)`),
    check("applications_opened", sql`${t.openedOn} is null or ${t.status} = 'approved'`),
    check("applications_decided", sql`(${t.status} = 'pending') = (${t.decidedAt} is null)`),
  ],
);
