import { decimalText } from "../../../domain/currency.ts";
import { csvLine } from "../../../http/csv.ts";
import type { LineRow } from "../../../store/payout-lines.ts";
import type { PayoutRow } from "../../../store/payouts.ts";

const columns = ["reference", "partner", "email", "amount", "currency"];

export async function* payoutCsv(
  { reference }: PayoutRow,
  pages: AsyncIterable<{ readonly page: readonly LineRow[] }>,
): AsyncGenerator<string, undefined> {
  yield csvLine(columns);
  for await (const { page } of pages) yield page.map((line) => lineOf(reference, line)).join("");
}

const lineOf = (reference: string, { name, email, amountCents, currency }: LineRow): string =>
  csvLine([reference, name, email ?? "", decimalText(amountCents, currency), currency]);
