import { clamped } from "#domain/money.ts";
import type { PartnerPerformanceRow } from "#store/reports/partner-performance.ts";
import { amountCell, type ExportColumns } from "../export-file.ts";
import { linkOf } from "../partners/partner-record.ts";

export const partnerColumns = (currency: string, showsEmail: boolean): ExportColumns<PartnerPerformanceRow> => ({
  partner_id: ({ id }) => id,
  partner_code: ({ code }) => code,
  partner: ({ name }) => name,
  ...(showsEmail && { email: ({ email }) => email }),
  status: ({ status }) => status,
  link: linkOf,
  clicks: ({ clicks }) => clamped(clicks),
  sign_ups: ({ leads }) => clamped(leads),
  sales: ({ sales }) => clamped(sales),
  refunds: ({ refunds }) => clamped(refunds),
  revenue: ({ revenueCents }) => amountCell(clamped(revenueCents), currency),
  refunded: ({ refundedCents }) => amountCell(clamped(refundedCents), currency),
  commission: ({ commissionCents }) => amountCell(clamped(commissionCents), currency),
  to_pay: ({ unpaidCents }) => amountCell(clamped(unpaidCents), currency),
  currency: () => currency,
});
