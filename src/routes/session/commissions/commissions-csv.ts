import { csvLine } from "../../../http/csv.ts";
import { timestamp } from "../../../http/schema/timestamp.ts";
import type { CommissionView } from "../../../store/views/commissions.ts";
import { amountCell, type ExportColumns, exportHead, exportLines } from "../export-file.ts";
import { type CommissionReply, commissionReply } from "./commission-reply.ts";

export interface CsvFormat {
  readonly head: string;
  line(commission: CommissionView): string;
}

const apiColumns = [
  ...["id", "saleId", "transactionId", "customerKey", "partnerId", "partnerCode", "status"],
  ...["unconfirmed", "amountCents", "currency", "holdUntil", "createdAt", "inPayout", "explanation"],
] as readonly (keyof CommissionReply)[];

/** Names and values as in the API, with every explanation as JSON. */
export const apiFormat: CsvFormat = {
  head: csvLine(apiColumns),
  line(commission) {
    const { explanation, ...reply } = commissionReply(commission);
    const cells = { ...reply, explanation: JSON.stringify(explanation) };
    return csvLine(apiColumns.map((name) => cells[name]));
  },
};

const optional = <Value>(value: Value | null, text: (value: Value) => string): string =>
  value === null ? "" : text(value);

const accountingColumns: ExportColumns<CommissionView> = {
  sale_date: ({ saleDay }) => saleDay,
  order_id: ({ transactionId }) => transactionId,
  customer: ({ customerKey }) => customerKey ?? "",
  partner_name: ({ partnerName }) => partnerName ?? "",
  partner_code: ({ partnerCode }) => partnerCode ?? "",
  sale_amount: ({ saleCents, currency }) => amountCell(saleCents, currency),
  sale_refunded: ({ refundedCents, currency }) => amountCell(refundedCents, currency),
  currency: ({ currency }) => currency,
  rate_percent: ({ rateBps }) => optional(rateBps, (bps) => String(bps / 100)),
  commission: ({ initialCents, currency }) => amountCell(initialCents, currency),
  commission_net: ({ amountCents, currency }) => amountCell(amountCents, currency),
  status: ({ status }) => status,
  reason: ({ reason }) => reason ?? "",
  approved_at: ({ approvedAt }) => optional(approvedAt, timestamp),
  paid_at: ({ paidAt }) => optional(paidAt, timestamp),
  payout_reference: ({ payoutReference }) => payoutReference ?? "",
  commission_id: ({ id }) => String(id),
};

/** Amounts in decimals, for a spreadsheet. */
export const accountingFormat: CsvFormat = {
  head: exportHead(accountingColumns),
  line: (commission) => exportLines(accountingColumns, [commission]),
};

export async function* commissionsCsv(
  { head, line }: CsvFormat,
  pages: AsyncIterable<{ readonly page: readonly CommissionView[] }>,
): AsyncGenerator<string, undefined> {
  yield head;
  for await (const { page } of pages) yield page.map(line).join("");
}
