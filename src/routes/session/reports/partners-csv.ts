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
  clicks: ({ clicks }) => Number(clicks),
  sign_ups: ({ leads }) => Number(leads),
  sales: ({ sales }) => Number(sales),
  refunds: ({ refunds }) => Number(refunds),
  revenue: ({ revenueCents }) => amountCell(Number(revenueCents), currency),
  refunded: ({ refundedCents }) => amountCell(Number(refundedCents), currency),
  commission: ({ commissionCents }) => amountCell(Number(commissionCents), currency),
  to_pay: ({ unpaidCents }) => amountCell(Number(unpaidCents), currency),
  currency: () => currency,
});
