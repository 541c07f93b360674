import { type CommissionRefs, commissionRefs } from "#domain/commission-ref.ts";
import type { CommissionId, ProgramId } from "#domain/ids.ts";
import { hashSecretOf } from "#env.ts";
import type { Ctx } from "./context.ts";
import { digest } from "./keyed-digest.ts";

/**
 * Name commissions for their partners: ids are counted over all partners. Each program has a key of its own, and no
 * column has the result.
 */
export const refsOfProgram = ({ env }: Pick<Ctx, "env">, programId: ProgramId): CommissionRefs =>
  commissionRefs(Buffer.from(digest(hashSecretOf(env), "commission-ref", String(programId)), "hex"));

interface OfCommission {
  readonly id: CommissionId;
}

/** Adds the ref to a row. */
export function refAdder(c: Pick<Ctx, "env">, programId: ProgramId) {
  const { refOf } = refsOfProgram(c, programId);
  return <Row extends OfCommission>(row: Row): Row & { readonly ref: string } => ({ ...row, ref: refOf(row.id) });
}
