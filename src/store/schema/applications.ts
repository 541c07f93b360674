import { sql } from "drizzle-orm";
import { check, index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { ApplicationId, NoteId, PartnerId } from "#domain/ids.ts";
import { applicationStatuses } from "#domain/join-page.ts";
import { id, instant } from "./columns.ts";
import { notes } from "./notes.ts";
import { oneOf } from "./one-of.ts";
import { partners } from "./partners.ts";
import { programId } from "./programs.ts";

/** One row for each account and program: the account's latest application. */
export const applications = sqliteTable(
  "applications",
  {
    id: id<ApplicationId>(),
    programId: programId(),
    accountId: text("account_id").notNull(),
    /** The applicant's texts. Empty once they are deleted: some time after a decline, or with the account or partner. */
    name: text("name").notNull(),
    website: text("website"),
    /** JSON object of the answers, keyed by question id. */
    answers: text("answers").notNull(),
    /** The version of the partner terms that the applicant accepted. Null if the program had none. */
    termsVersion: integer("terms_version"),
    status: text("status", { enum: applicationStatuses }).notNull(),
    partnerId: integer("partner_id")
      .$type<PartnerId>()
      .references(() => partners.id),
    partnerNoteId: integer("partner_note_id")
      .$type<NoteId>()
      .references(() => notes.id),
    decidedAt: instant("decided_at"),
    /**
     * The day, in the program's time zone, of an automatic approval by the open join page. Null if the application
     * isn't approved, or a member approved it.
     */
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
