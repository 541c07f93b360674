import { sql } from "drizzle-orm";
import { check, index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { PayoutLineId, ProgramId } from "#domain/ids.ts";
import { mailTemplates } from "#domain/mail/mail.ts";
import { instant } from "./columns.ts";
import { oneOf } from "./one-of.ts";
import { payoutLines } from "./payouts.ts";
import { programs } from "./programs.ts";

/** Mails to send, and recently sent mails. */
export const mails = sqliteTable(
  "mails",
  {
    /** The mailer uses this id to deduplicate a mail that is sent again. */
    id: text("id").primaryKey(),
    /** Null for a mail to an account. The home database has these mails. */
    programId: integer("program_id")
      .$type<ProgramId>()
      .references(() => programs.id),
    template: text("template", { enum: mailTemplates }).notNull(),
    /** Encrypted with DATA_KEYS. Null once the mail is delivered or has failed, and for mails about a payout line. */
    content: text("content"),
    payoutLineId: integer("payout_line_id")
      .$type<PayoutLineId>()
      .references(() => payoutLines.id),
    /** Origin of the links in a mail about a payout line. */
    origin: text("origin"),
    attempts: integer("attempts").notNull().default(0),
    /** When the next attempt is due. Null once the mail is delivered or has failed. */
    dueAt: instant("due_at"),
    deliveredAt: instant("delivered_at"),
    failedAt: instant("failed_at"),
    createdAt: instant("created_at").notNull(),
  },
  (t) => [
    // There may be thousands of mails to teams and about payout lines. They have separate indexes, so that all other
    // mails are sent first.
    index("mails_due")
      .on(t.dueAt)
      .where(sql`due_at is not null and payout_line_id is null and template <> 'team_tasks'`),
    index("mails_due_team").on(t.dueAt).where(sql`due_at is not null and template = 'team_tasks'`),
    index("mails_due_lines").on(t.dueAt).where(sql`due_at is not null and payout_line_id is not null`),
    index("mails_created").on(t.createdAt),
    index("mails_failed").on(t.failedAt).where(sql`failed_at is not null`),
    index("mails_program").on(t.programId).where(sql`program_id is not null`),
    uniqueIndex("mails_line").on(t.payoutLineId, t.template).where(sql`payout_line_id is not null`),
    check("mails_template", oneOf(t.template, mailTemplates)),
    check(
      "mails_settled",
      sql`(${t.dueAt} is not null) + (${t.deliveredAt} is not null) + (${t.failedAt} is not null) = 1`,
    ),
    check("mails_content", sql`(${t.content} is not null) = (${t.dueAt} is not null and ${t.payoutLineId} is null)`),
    check("mails_line", sql`(${t.payoutLineId} is null) = (${t.origin} is null)`),
  ],
);
