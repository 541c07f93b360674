import { shownStatuses } from "#domain/commission-status.ts";
import type { CommissionSummary, SaleSummary } from "#domain/refusal.ts";
import { int64 } from "./schema/integers.ts";
import { timestamp } from "./schema/timestamp.ts";
import * as z from "./schema/zod.ts";

export const CommissionReply = z
  .object({
    amount_cents: int64().openapi({ description: "Amount in the currency's smallest unit.", example: 980 }),
    currency: z.string().openapi({ example: "USD" }),
    status: z.enum(shownStatuses),
    hold_until: z.iso.datetime().nullable().openapi({
      description:
        "Time at which a pending commission is approved, unless it is held or unconfirmed. Null if no commission is due.",
    }),
    unconfirmed: z.boolean().openapi({
      description:
        "True if only a browser reported the click. A call with the API key confirms the commission, and so does an approval.",
    }),
    held: z.boolean().openapi({
      description: "True if the commission stays pending until a member of the program decides it, or its review ends.",
    }),
    reason: z.string().optional().openapi({ description: "Reason why a `void` commission pays nothing." }),
  })
  .openapi("Commission");

export const commissionReply = (summary: CommissionSummary): z.output<typeof CommissionReply> => ({
  amount_cents: summary.amountCents,
  currency: summary.currency,
  status: summary.status,
  hold_until: summary.holdUntil === undefined ? null : timestamp(summary.holdUntil),
  unconfirmed: summary.unconfirmed,
  held: summary.held,
  ...(summary.reason === undefined ? {} : { reason: summary.reason }),
});

export const saleReply = (sale: SaleSummary) => ({
  sale_id: sale.saleId,
  commission_id: sale.commissionId,
  is_recurring: sale.isRecurring,
  attributed: sale.attributed,
  partner_code: sale.partnerCode ?? null,
  source: sale.source ?? null,
  commission: commissionReply(sale.commission),
});
