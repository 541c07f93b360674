import { readFromDatabase } from "#api/read-database.ts";
import type { PayoutId, ProgramId } from "#domain/ids.ts";
import { ok, type Result, refused } from "#domain/result.ts";
import type { Ctx } from "#http/context.ts";
import { readEmails } from "#store/accounts/names.ts";
import { type PayoutView, readPayout } from "#store/views/payouts.ts";
import { payoutWithLines } from "./payout-record.ts";

const noPayout = { code: "not_found", what: "payout" } as const;

type Shown = Parameters<typeof payoutWithLines>[1];

/** With payment details for `showsDetails`. */
export async function replyOfPayout(
  c: Ctx,
  programId: ProgramId,
  payoutId: PayoutId,
  showsDetails: boolean,
): Promise<Result<ReturnType<typeof payoutWithLines>>> {
  const found = await loadPayout(c, programId, payoutId);
  if (!found.ok) return found;
  const emails = showsDetails ? await emailsOf(c, found.value) : ok<Shown>(undefined);
  return emails.ok ? ok(payoutWithLines(found.value, emails.value)) : emails;
}

/** Of the accounts that set payment details. */
async function emailsOf(c: Ctx, { lines }: PayoutView): Promise<Result<Shown>> {
  const ids = [...new Set(lines.flatMap(({ payment }) => payment?.setBy ?? []))];
  return ids.length === 0 ? ok(new Map()) : readFromDatabase(c, "home", (database) => readEmails(database, ids));
}

async function loadPayout(c: Ctx, programId: ProgramId, payoutId: PayoutId): Promise<Result<PayoutView>> {
  const query = { programId, id: payoutId, at: c.get("call").at };
  const found = await readFromDatabase(c, "program", (database) => readPayout(database, query));
  if (!found.ok) return found;
  return found.value === undefined ? refused(noPayout) : ok(found.value);
}
