import { readFromDatabase } from "#api/read-database.ts";
import type { CommissionId } from "#domain/ids.ts";
import { ok } from "#domain/result.ts";
import { refsOfProgram } from "#http/commission-ref.ts";
import type { Ctx } from "#http/context.ts";
import { cutPage } from "#http/schema/cursor.ts";
import type { OwnPartner } from "#store/own-partner.ts";
import { readCommissionChanges } from "#store/reports/commission-changes.ts";
import { type CommissionFilter, listCommissions } from "#store/views/commission-list.ts";
import { ownCommissions } from "./own-commission.ts";

type Filter = Pick<CommissionFilter, "status" | "sub" | "days">;

interface Page {
  readonly before: CommissionId | undefined;
  readonly size: number;
}

/** Newest first. */
export async function readOwnCommissions(
  c: Ctx,
  { programId, partnerId }: Pick<OwnPartner, "programId" | "partnerId">,
  filter: Filter,
  { before, size }: Page,
) {
  const asked = { ...filter, partnerId, currency: undefined, reason: undefined, narrowing: {} };
  const after = before === undefined ? undefined : { currency: "", value: 0, id: before };
  const order = { sort: "created", order: "desc", after, limit: size + 1 } as const;
  const book = { programId, isTest: false };
  const found = await readFromDatabase(c, "program", async (database) => {
    const { page, last } = cutPage(await listCommissions(database, book, asked, order), size);
    const ids = page.map(({ id }) => id);
    return { page, next: last?.id, ...(await readCommissionChanges(database, partnerId, ids)) };
  });
  if (!found.ok) return found;
  const { page, next, changes, notes } = found.value;
  const shown = { at: c.get("call").at, changes, notes, ...refsOfProgram(c, programId) };
  return ok({ page: ownCommissions(page, shown), next });
}
