import { sql } from "drizzle-orm";
import { check, index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { CommissionId, NoteId, PartnerId } from "#domain/ids.ts";
import { reviewCodes, reviewEnds, signalEffects } from "#domain/risk.ts";
import { instant } from "./columns.ts";
import { commissions } from "./commissions.ts";
import { notes } from "./notes.ts";
import { oneOf } from "./one-of.ts";
import { partners } from "./partners.ts";
import { book } from "./programs.ts";

/**
 * The reasons for which a commission is, or was, held or flagged. Rows are never deleted. Each is updated once, when
 * the hold or flag ends.
 */
export const commissionSignals = sqliteTable(
  "commission_signals",
  {
    commissionId: integer("commission_id")
      .$type<CommissionId>()
      .notNull()
      .references(() => commissions.id),
    ...book(),
    code: text("code", { enum: reviewCodes }).notNull(),
    effect: text("effect", { enum: signalEffects }).notNull(),
    /** JSON: the evidence for the signal. It never changes. */
    evidence: text("evidence").notNull(),
    /** The note that a member wrote for a manual hold. */
    noteId: integer("note_id")
      .$type<NoteId>()
      .references(() => notes.id),
    /** The partner that the evidence names. Null if it names none. */
    partnerId: integer("partner_id")
      .$type<PartnerId>()
      .references(() => partners.id),
    raisedAt: instant("raised_at").notNull(),
    /** When the hold ends automatically (ms). */
    reviewUntil: instant("review_until"),
    endedAt: instant("ended_at"),
    endedBy: text("ended_by", { enum: reviewEnds }),
  },
  (t) => [
    primaryKey({ columns: [t.commissionId, t.code, t.raisedAt] }),
    index("commission_signals_code").on(t.programId, t.isTest, t.code, t.commissionId).where(sql`ended_at is null`),
    check("commission_signals_code", oneOf(t.code, reviewCodes)),
    check("commission_signals_effect", oneOf(t.effect, signalEffects)),
    check("commission_signals_similar", sql`${t.code} <> 'self_referral_similar' or ${t.effect} = 'flag'`),
    check("commission_signals_by_hand", sql`(${t.code} = 'by_hand') = (${t.noteId} is not null)`),
    check(
      "commission_signals_review",
      sql`${t.reviewUntil} is null or (${t.effect} = 'hold' and ${t.code} <> 'by_hand')`,
    ),
    check("commission_signals_end", sql`(${t.endedAt} is null) = (${t.endedBy} is null)`),
    check("commission_signals_ended_by", oneOf(sql`coalesce(${t.endedBy}, 'time')`, reviewEnds)),
  ],
);
