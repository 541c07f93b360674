import { balanceOf } from "#domain/balance.ts";
import { cursorOf } from "#http/schema/cursor.ts";
import { id, int64 } from "#http/schema/integers.ts";
import { record } from "#http/schema/record.ts";
import * as z from "#http/schema/zod.ts";
import { type BalanceView, balanceSorts } from "#store/views/balances.ts";
import { amountCell, type ExportColumns } from "./export-file.ts";

const cents = (description: string) => int64().describe(description);

const amounts = {
  currency: z.string(),
  pendingCents: cents(
    "Amount on hold: commissions whose hold period isn't over, that are held for review, or that need a confirmation.",
  ),
  payableCents: cents("Amount to pay: approved and in no payout. 0 if more was reversed than earned."),
  inPayoutCents: cents("Amount in payouts: reserved by payouts that are final but not paid."),
  paidCents: cents("Paid so far, minus returned payments."),
  carriedCents: cents("Debt to be deducted from the partner's next commissions, as a negative amount. 0 if none."),
};

export const BalanceAmounts = z.object(amounts);

export const BalanceTotals = z
  .object({
    ...amounts,
    paidThisYearCents: cents(
      "Sum of this calendar year's payments, by `paidAt` in the program's time zone, minus returned payments.",
    ),
  })
  .openapi("BalanceTotals");

export const balanceRecord = record("Balance", {
  partnerId: id(),
  partnerCode: z.string().describe("The partner's `aff` code."),
  name: z.string(),
  ...amounts,
});
type BalanceReply = ReturnType<typeof balanceRecord.reply>;

export const balanceReply = (row: BalanceView): BalanceReply => balanceRecord.reply({ ...row, ...balanceOf(row) });

export const balanceCursors = cursorOf("balances", {
  sort: z.enum(balanceSorts),
  nonzero: z.boolean(),
  currency: z.string().regex(/^[A-Z]{3,12}$/),
  partnerId: z.int().positive(),
  cents: z.string().regex(/^-?\d{1,18}$/),
});

export const balanceColumns: ExportColumns<BalanceReply> = {
  partner_id: ({ partnerId }) => partnerId,
  partner_code: ({ partnerCode }) => partnerCode,
  partner: ({ name }) => name,
  on_hold: ({ pendingCents, currency }) => amountCell(pendingCents, currency),
  to_pay: ({ payableCents, currency }) => amountCell(payableCents, currency),
  to_be_deducted: ({ carriedCents, currency }) => amountCell(carriedCents, currency),
  in_payout: ({ inPayoutCents, currency }) => amountCell(inPayoutCents, currency),
  paid: ({ paidCents, currency }) => amountCell(paidCents, currency),
  currency: ({ currency }) => currency,
};
