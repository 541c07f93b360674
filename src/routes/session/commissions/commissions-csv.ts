import { decimalText } from "../../../domain/currency.ts";
import { csvLine } from "../../../http/csv.ts";
import { timestamp } from "../../../http/schema/timestamp.ts";
import type { CommissionView } from "../../../store/views/commissions.ts";
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

const accountingColumns: Readonly<Record<string, (commission: CommissionView) => string>> = {
  sale_date: ({ saleDay }) => saleDay,
  order_id: ({ transactionId }) => transactionId,
  customer: ({ customerKey }) => customerKey ?? "",
  partner_name: ({ partnerName }) => partnerName ?? "",
  partner_code: ({ partnerCode }) => partnerCode ?? "",
  sale_amount: ({ saleCents, currency }) => decimalText(saleCents, currency),
  sale_refunded: ({ refundedCents, currency }) => decimalText(refundedCents, currency),
  currency: ({ currency }) => currency,
  rate_percent: ({ rateBps }) => optional(rateBps, (bps) => String(bps / 100)),
  commission: ({ initialCents, currency }) => decimalText(initialCents, currency),
  commission_net: ({ amountCents, currency }) => decimalText(amountCents, currency),
  status: ({ status }) => status,
  reason: ({ reason }) => reason ?? "",
  approved_at: ({ approvedAt }) => optional(approvedAt, timestamp),
  paid_at: ({ paidAt }) => optional(paidAt, timestamp),
  payout_reference: ({ payoutReference }) => payoutReference ?? "",
  commission_id: ({ id }) => String(id),
};

/** Without a byte order mark, Excel doesn't read UTF-8. */
const byteOrderMark = "\uFEFF";

/** Amounts in decimals, for a spreadsheet. */
export const accountingFormat: CsvFormat = {
  head: byteOrderMark + csvLine(Object.keys(accountingColumns)),
  line: (commission) => csvLine(Object.values(accountingColumns).map((cell) => cell(commission))),
};

export async function* commissionsCsv(
  { head, line }: CsvFormat,
  pages: AsyncIterable<{ readonly page: readonly CommissionView[] }>,
): AsyncGenerator<string, undefined> {
  yield head;
  for await (const { page } of pages) yield page.map(line).join("");
}

interface ExportName {
  readonly programName: string;
  readonly programId: number;
  readonly dateFrom?: string | undefined;
  readonly dateTo?: string | undefined;
}

/** "tributary-northwind-outdoor-commissions-2026-10", for headers in ASCII only. */
export function exportName({ programName, programId, dateFrom, dateTo }: ExportName): string {
  const latin = programName
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, " ");
  const name = latin.trim().replaceAll(" ", "-").slice(0, 60) || `program-${programId}`;
  return ["tributary", name, "commissions", ...periodName(dateFrom, dateTo)].join("-");
}

function periodName(from: string | undefined, to: string | undefined): readonly string[] {
  if (from !== undefined && to !== undefined) {
    const [month, nextDay] = [from.slice(0, 7), new Date(Date.parse(`${to}T00:00:00Z`) + 86_400_000)];
    const isMonth = from.endsWith("-01") && to.startsWith(month) && nextDay.getUTCDate() === 1;
    return isMonth ? [month] : [from, "to", to];
  }
  if (from !== undefined) return ["from", from];
  return to === undefined ? [] : ["to", to];
}
