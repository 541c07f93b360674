import { openDetails } from "#api/payment-details.ts";
import { readFromDatabase } from "#api/read-database.ts";
import type { PayoutId, ProgramId } from "#domain/ids.ts";
import type { PaymentDetails, PaymentMethod } from "#domain/payment-details.ts";
import { ok, type Result, refused } from "#domain/result.ts";
import type { Ctx } from "#http/context.ts";
import { cutPage } from "#http/schema/cursor.ts";
import type { PayoutRow } from "#store/payouts.ts";
import { type FileLine, readFileLines } from "#store/views/payouts.ts";
import type { PaidLine } from "./payout-record.ts";

export const noPayout = { code: "not_found", what: "payout" } as const;

/** Lines of the file that are read at once. */
const pageSize = 500;

export interface LinesQuery {
  readonly programId: ProgramId;
  readonly id: PayoutId;
  /** Of which lines the details are read. */
  readonly details: PaymentMethod | "all" | "none";
}

export interface LinesPage {
  readonly payout: PayoutRow;
  readonly page: readonly PaidLine[];
  readonly next: number | undefined;
}

/** Lines of a final payout never change. It may be canceled while its file is read, which then ends. */
export async function readLines(c: Ctx, query: LinesQuery, after: number): Promise<Result<LinesPage>> {
  const read = await readFromDatabase(c, "program", (database) => readFileLines(database, query, after, pageSize + 1));
  if (!read.ok) return read;
  if (read.value === undefined) return refused(noPayout);
  const { payout, lines } = read.value;
  if (payout.status === "draft") return refused({ code: "payout_not_final" });
  if (payout.status === "canceled") {
    return refused({ code: "payout_closed", status: payout.status, action: "downloaded" });
  }
  const { page, last } = cutPage(lines, pageSize);
  const paid = page.map(async (line) => ({
    ...line,
    details: query.details === "all" || query.details === line.paymentMethod ? await detailsOf(c, line) : undefined,
  }));
  return ok({ payout, page: await Promise.all(paid), next: last?.partnerId });
}

/** A file without details that are there would be taken for one of partners who are paid by email address. */
async function detailsOf(c: Ctx, { programId, sealId, ciphertext }: FileLine): Promise<PaymentDetails | undefined> {
  if (sealId === null || ciphertext === null) return undefined;
  const details = await openDetails(c, { programId, sealId, ciphertext });
  if (details === undefined) throw new Error("no data key decrypts a partner's payment details");
  return details;
}
