import * as z from "../../../http/schema/zod.ts";

const cents = (description: string) => z.int().describe(description);

/** A balance in one currency. */
export const BalanceAmounts = z.object({
  currency: z.string(),
  pendingCents: cents("On hold: commissions whose hold period isn't over, or that need a confirmation."),
  payableCents: cents("To pay: approved and in no payout. 0 if more was reversed than earned."),
  inPayoutCents: cents("In payout: reserved by payouts that are final but not paid."),
  paidCents: cents("Paid: so far, less returned payments."),
  carriedCents: cents("To be deducted: negative amount that the partner's next commissions make up for, or 0."),
});
