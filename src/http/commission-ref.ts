import { type CommissionRefs, commissionRefs } from "#domain/commission-ref.ts";
import type { CommissionId, ProgramId } from "#domain/ids.ts";
import { hashSecretOf } from "#env.ts";
import type { Ctx } from "./context.ts";
import { digest } from "./keyed-digest.ts";

/**
 * Partners see commissions by these references instead of ids, because ids would reveal the number of all partners'
 * commissions. Each program has its own key to compute them. They aren't stored.
 */
export const refsOfProgram = ({ env }: Pick<Ctx, "env">, programId: ProgramId): CommissionRefs =>
  commissionRefs(Buffer.from(digest(hashSecretOf(env), "commission-ref", String(programId)), "hex"));

interface OfCommission {
  readonly id: CommissionId;
}

/** Returns a function that adds `ref` to a row. */
export function refAdder(c: Pick<Ctx, "env">, programId: ProgramId) {
  const { refOf } = refsOfProgram(c, programId);
  return <Row extends OfCommission>(row: Row): Row & { readonly ref: string } => ({ ...row, ref: refOf(row.id) });
}
