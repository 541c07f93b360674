import { csvLine } from "../../../http/csv.ts";
import type { Page } from "../../../http/schema/cursor.ts";
import type { CommissionView } from "../../../store/views/commissions.ts";
import { type CommissionReply, commissionReply } from "./commission-reply.ts";

const columns = [
  ...["id", "saleId", "transactionId", "customerKey", "partnerId", "partnerCode", "status"],
  ...["unconfirmed", "amountCents", "currency", "holdUntil", "createdAt", "explanation"],
] as readonly (keyof CommissionReply)[];

type CommissionPage = Pick<Page<CommissionView>, "page" | "next">;

/** Reads each following page only once the reader has consumed the one before. */
export function commissionsCsv(
  first: CommissionPage,
  readNext: (before: number) => Promise<CommissionPage>,
): ReadableStream<Uint8Array> {
  let { next } = first;
  const encode = (text: string) => new TextEncoder().encode(text);
  return new ReadableStream({
    start(controller) {
      controller.enqueue(encode(csvLine(columns) + first.page.map(line).join("")));
    },
    async pull(controller) {
      if (next === undefined) return controller.close();
      const upcoming = await readNext(next);
      next = upcoming.next;
      controller.enqueue(encode(upcoming.page.map(line).join("")));
    },
  });
}

function line(commission: CommissionView): string {
  const reply = commissionReply(commission);
  return csvLine(
    columns.map((name) => (name === "explanation" ? JSON.stringify(reply[name]) : String(reply[name] ?? ""))),
  );
}
