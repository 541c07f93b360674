import type { FileLine } from "../../../store/views/payouts.ts";
import { amountCell, type ExportColumns, exportHead, exportLines } from "../export-file.ts";

const columnsOf = (reference: string): ExportColumns<FileLine> => ({
  reference: () => reference,
  partner_id: ({ partnerId }) => partnerId,
  partner_code: ({ partnerCode }) => partnerCode,
  partner: ({ name }) => name,
  email: ({ email }) => email,
  amount: ({ amountCents, currency }) => amountCell(amountCents, currency),
  currency: ({ currency }) => currency,
});

export async function* payoutCsv(
  { reference }: { readonly reference: string },
  pages: AsyncIterable<{ readonly page: readonly FileLine[] }>,
): AsyncGenerator<string, undefined> {
  const columns = columnsOf(reference);
  yield exportHead(columns);
  for await (const { page } of pages) yield exportLines(columns, page);
}
