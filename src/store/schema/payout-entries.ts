import { foreignKey, index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { ledgerEntries } from "./commissions.ts";
import { payoutLines } from "./payouts.ts";
import { programs } from "./programs.ts";

/**
 * The entries that live lines have taken. The key allows an entry in one line. A row is never updated, and is deleted to free
 * the entry, which the database refuses while the line is live.
 */
export const payoutLineEntries = sqliteTable(
  "payout_line_entries",
  {
    entryId: integer("entry_id")
      .primaryKey()
      .references(() => ledgerEntries.id),
    lineId: integer("line_id")
      .notNull()
      .references(() => payoutLines.id),
    /** The entry's, which a trigger compares. Null for an adjustment. */
    commissionId: integer("commission_id"),
    /** The entry's. */
    amountCents: integer("amount_cents").notNull(),
  },
  (t) => [index("payout_line_entries_line").on(t.lineId, t.commissionId)],
);

/**
 * What a partner is owed in one currency, in the live book. Triggers update it in the transaction of each entry, approval
 * and reservation. The sum of all columns but the last is the partner's balance.
 */
export const partnerBalances = sqliteTable(
  "partner_balances",
  {
    programId: integer("program_id").notNull(),
    currency: text("currency").notNull(),
    partnerId: integer("partner_id").notNull(),
    /** Entries of commissions that were never approved. */
    pendingCents: integer("pending_cents").notNull().default(0),
    /** Approved or later, and in no line: payable if positive, carried if negative. */
    netCents: integer("net_cents").notNull().default(0),
    /** Held by lines, minus what was paid of them. */
    inPayoutCents: integer("in_payout_cents").notNull().default(0),
    /** Paid minus returned. */
    paidCents: integer("paid_cents").notNull().default(0),
  },
  (t) => [
    primaryKey({ columns: [t.programId, t.currency, t.partnerId] }),
    foreignKey({ columns: [t.programId], foreignColumns: [programs.id] }),
  ],
);
