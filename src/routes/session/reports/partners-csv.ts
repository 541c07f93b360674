import type { PartnerPerformanceRow } from "../../../store/reports/partner-performance.ts";
import { amountCell, type ExportColumns, exportHead, exportLines } from "../export-file.ts";
import { partnerReply } from "../partners/partner-reply.ts";

const columnsOf = (currency: string, showsEmail: boolean): ExportColumns<PartnerPerformanceRow> => ({
  partner_id: ({ id }) => id,
  partner_code: ({ code }) => code,
  partner: ({ name }) => name,
  ...(showsEmail && { email: ({ email }) => email }),
  status: ({ status }) => status,
  link: (partner) => partnerReply(partner, false).link,
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

export async function* partnersCsv(
  currency: string,
  showsEmail: boolean,
  pages: AsyncIterable<{ readonly rows: readonly PartnerPerformanceRow[] }>,
): AsyncGenerator<string, undefined> {
  const columns = columnsOf(currency, showsEmail);
  yield exportHead(columns);
  for await (const { rows } of pages) yield exportLines(columns, rows);
}
