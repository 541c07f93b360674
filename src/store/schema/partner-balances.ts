import { foreignKey, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { PartnerId, ProgramId } from "#domain/ids.ts";
import { programs } from "./programs.ts";

/**
 * A partner's accounts in one currency, in the live book. Triggers update them in the transaction of each entry and move.
 * The sum of all but the last is the partner's balance.
 */
export const partnerBalances = sqliteTable(
  "partner_balances",
  {
    programId: integer("program_id").$type<ProgramId>().notNull(),
    currency: text("currency").notNull(),
    partnerId: integer("partner_id").$type<PartnerId>().notNull(),
    /** Earned, not approved. */
    pendingCents: integer("pending_cents").notNull().default(0),
    /** Approved, adjusted or returned, and in no live line. Negative if the partner owes. */
    payableCents: integer("payable_cents").notNull().default(0),
    /** Lines of final payouts. */
    inPayoutCents: integer("in_payout_cents").notNull().default(0),
    /** Paid minus returned. */
    paidCents: integer("paid_cents").notNull().default(0),
  },
  (t) => [
    primaryKey({ columns: [t.programId, t.currency, t.partnerId] }),
    foreignKey({ columns: [t.programId], foreignColumns: [programs.id] }),
  ],
);
