import { csvLine } from "../../../http/csv.ts";
import type { Page } from "../../../http/schema/cursor.ts";
import type { CommissionView } from "../../../store/views/commissions.ts";
import { type CommissionReply, commissionReply } from "./commission-reply.ts";

const columns = [
  ...["id", "saleId", "transactionId", "customerKey", "partnerId", "partnerCode", "status"],
  ...["unconfirmed", "amountCents", "currency", "holdUntil", "createdAt", "inPayout", "explanation"],
] as readonly (keyof CommissionReply)[];

export async function* commissionsCsv(
  pages: AsyncIterable<Pick<Page<CommissionView>, "page">>,
): AsyncGenerator<string, undefined> {
  yield csvLine(columns);
  for await (const { page } of pages) yield page.map(line).join("");
}

function line(commission: CommissionView): string {
  const { explanation, ...reply } = commissionReply(commission);
  const cells = { ...reply, explanation: JSON.stringify(explanation) };
  return csvLine(columns.map((name) => cells[name]));
}
