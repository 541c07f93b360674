import { csvPages } from "../../../http/csv-pages.ts";
import type { Page } from "../../../http/schema/cursor.ts";
import type { CommissionView } from "../../../store/views/commissions.ts";
import { type CommissionReply, commissionReply } from "./commission-reply.ts";

const columns = [
  ...["id", "saleId", "transactionId", "customerKey", "partnerId", "partnerCode", "status"],
  ...["unconfirmed", "amountCents", "currency", "holdUntil", "createdAt", "explanation"],
] as readonly (keyof CommissionReply)[];

type CommissionPage = Pick<Page<CommissionView>, "page" | "next">;

export const commissionsCsv = (
  first: CommissionPage,
  readNext: (before: number) => Promise<CommissionPage>,
): ReadableStream<Uint8Array> => csvPages({ columns, cells }, first, readNext);

function cells(commission: CommissionView): readonly string[] {
  const reply = commissionReply(commission);
  return columns.map((name) => (name === "explanation" ? JSON.stringify(reply[name]) : String(reply[name] ?? "")));
}
