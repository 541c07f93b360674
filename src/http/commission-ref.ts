import { type CommissionRefs, encryptedRefs, type Refs } from "#domain/commission-ref.ts";
import type { ClaimId, CommissionId, ProgramId } from "#domain/ids.ts";
import { hashSecretOf } from "#env.ts";
import type { Ctx } from "./context.ts";
import { digest } from "./keyed-digest.ts";

/**
 * Partners see commissions and claims by references instead of ids, because ids would reveal the number of all
 * partners' commissions and claims. Each program has its own keys to compute references. References aren't stored.
 */
const refsOf = <Id extends number>({ env }: Pick<Ctx, "env">, use: string, programId: ProgramId): Refs<Id> =>
  encryptedRefs(Buffer.from(digest(hashSecretOf(env), use, String(programId)), "hex"));

export const refsOfProgram = (c: Pick<Ctx, "env">, programId: ProgramId): CommissionRefs =>
  refsOf(c, "commission-ref", programId);

export const claimRefsOfProgram = (c: Pick<Ctx, "env">, programId: ProgramId): Refs<ClaimId> =>
  refsOf(c, "claim-ref", programId);

interface OfCommission {
  readonly id: CommissionId;
}

/** Returns a function that adds `ref` to a row. */
export function refAdder(c: Pick<Ctx, "env">, programId: ProgramId) {
  const { refOf } = refsOfProgram(c, programId);
  return <Row extends OfCommission>(row: Row): Row & { readonly ref: string } => ({ ...row, ref: refOf(row.id) });
}
