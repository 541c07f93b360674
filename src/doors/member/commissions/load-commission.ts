import { readFromDatabase } from "#api/read-database.ts";
import type { CommissionId } from "#domain/ids.ts";
import { ok, type Result, refused } from "#domain/result.ts";
import { refAdder } from "#http/commission-ref.ts";
import type { Ctx } from "#http/context.ts";
import { findCommission } from "#store/views/commissions.ts";
import { actingMember } from "../actor.ts";
import { commissionRecord, reviewed } from "./commission-record.ts";

export const noCommission = refused({ code: "not_found", what: "commission" });

/** After a change of it. */
export async function loadCommission(
  c: Ctx & Parameters<typeof actingMember>[0],
  commissionId: CommissionId,
): Promise<Result<ReturnType<typeof commissionRecord.reply>>> {
  const { programId } = actingMember(c);
  const found = await readFromDatabase(c, "program", (database) => findCommission(database, programId, commissionId));
  if (!found.ok) return found;
  return found.value ? ok(commissionRecord.reply(refAdder(c, programId)(reviewed(found.value)))) : noCommission;
}
