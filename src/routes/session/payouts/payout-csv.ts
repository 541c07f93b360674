import { decimalAmount } from "../../../domain/currency.ts";
import { csvLine } from "../../../http/csv.ts";
import type { LineRow } from "../../../store/payout-lines.ts";
import type { PayoutRow } from "../../../store/payouts.ts";

const columns = ["reference", "partner", "email", "amount", "currency"];

export const linesPerPage = 500;

/** Reads each following page only once the reader has consumed the one before. */
export function payoutCsv(
  payout: PayoutRow,
  readAfter: (partnerId: number) => Promise<readonly LineRow[]>,
): ReadableStream<Uint8Array> {
  let after: number | undefined = 0;
  const encode = (text: string) => new TextEncoder().encode(text);
  return new ReadableStream({
    start(controller) {
      controller.enqueue(encode(csvLine(columns)));
    },
    async pull(controller) {
      if (after === undefined) return controller.close();
      const page = await readAfter(after);
      after = page.length === linesPerPage ? page.at(-1)?.partnerId : undefined;
      controller.enqueue(encode(page.map((line) => lineOf(payout, line)).join("")));
    },
  });
}

const lineOf = ({ reference }: PayoutRow, { name, email, amountCents, currency }: LineRow): string =>
  csvLine([reference, name, email ?? "", decimalAmount(amountCents, currency), currency]);
