import { createHmac } from "node:crypto";
import { base32 } from "#domain/base32.ts";
import type { CommissionId, ProgramId } from "#domain/ids.ts";
import { hashSecretOf } from "#env.ts";
import type { Ctx } from "./context.ts";
import { digest } from "./keyed-digest.ts";

const refLength = 10;

/**
 * Names a commission for its partner: its id is counted over all partners. Each program has a key of its own, and no
 * column has the result.
 */
export function commissionRefs({ env }: Pick<Ctx, "env">, programId: ProgramId): (id: CommissionId) => string {
  const key = digest(hashSecretOf(env), "commission-ref", String(programId));
  return (id) => base32(createHmac("sha256", key).update(String(id)).digest()).slice(0, refLength);
}
