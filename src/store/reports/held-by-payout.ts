import { sql } from "drizzle-orm";
import { payoutLines, payouts } from "../schema/payouts.ts";

// Of a line and its payout.

/** A canceled payout, and a line that was dropped or failed, free their entries in steps. */
export const isHeld = sql`${payoutLines.state} in ('reserving', 'live')
  and ${payouts.status} <> 'canceled' and ${payouts.phase} is not 'returning'`;

/** Paid for every reader, although entries may follow in steps. */
export const isConfirmed = sql`${payouts.status} in ('confirming', 'paid')`;
