import { timestamp, timestampOrNull } from "../../../http/schema/timestamp.ts";
import type { ListedPayout } from "../../../store/views/payouts.ts";
import { amountCell, type ExportColumns, exportHead, exportLines } from "../export-file.ts";

const columns: ExportColumns<ListedPayout> = {
  reference: ({ reference }) => reference,
  status: ({ status }) => status,
  partners: ({ lineCount }) => lineCount,
  amount: ({ totalCents, currency }) => amountCell(totalCents, currency),
  returned: ({ returnedCents, currency }) => amountCell(returnedCents, currency),
  currency: ({ currency }) => currency,
  created_at: ({ createdAt }) => timestamp(createdAt),
  finalized_at: ({ finalizedAt }) => timestampOrNull(finalizedAt),
  paid_at: ({ paidAt }) => timestampOrNull(paidAt),
  canceled_at: ({ canceledAt }) => timestampOrNull(canceledAt),
  note: ({ note }) => note,
  payout_id: ({ id }) => id,
};

export async function* payoutsCsv(
  pages: AsyncIterable<{ readonly page: readonly ListedPayout[] }>,
): AsyncGenerator<string, undefined> {
  yield exportHead(columns);
  for await (const { page } of pages) yield exportLines(columns, page);
}
