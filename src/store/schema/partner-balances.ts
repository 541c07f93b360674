import { foreignKey, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { PartnerId, ProgramId } from "#domain/ids.ts";
import { programs } from "./programs.ts";

/**
 * Live-book balances of a partner in one currency. Triggers update them in the transaction that writes an entry or
 * moves an amount from one column to another. The partner's balance is the sum of all columns except `paidCents`.
 */
export const partnerBalances = sqliteTable(
  "partner_balances",
  {
    programId: integer("program_id").$type<ProgramId>().notNull(),
    currency: text("currency").notNull(),
    partnerId: integer("partner_id").$type<PartnerId>().notNull(),
    /** Earned, but not approved yet. */
    pendingCents: integer("pending_cents").notNull().default(0),
    /** Approved, adjusted or returned, and not in a live payout line. Negative if the partner owes money. */
    payableCents: integer("payable_cents").notNull().default(0),
    /** In final payouts: the amounts of the live lines that are neither paid nor settled. */
    inPayoutCents: integer("in_payout_cents").notNull().default(0),
    /** Paid, less returned payments. */
    paidCents: integer("paid_cents").notNull().default(0),
  },
  (t) => [
    primaryKey({ columns: [t.programId, t.currency, t.partnerId] }),
    foreignKey({ columns: [t.programId], foreignColumns: [programs.id] }),
  ],
);
