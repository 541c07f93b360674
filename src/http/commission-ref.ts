import { type CommissionRefs, commissionRefs } from "#domain/commission-ref.ts";
import type { CommissionId, ProgramId } from "#domain/ids.ts";
import { hashSecretOf } from "#env.ts";
import type { Ctx } from "./context.ts";
import { digest } from "./keyed-digest.ts";

/**
 * References by which partners see commissions. Ids would reveal the number of all partners' commissions. Each program
 * has its own key for them, and they aren't stored.
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
