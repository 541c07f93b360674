import { readFrozenCommission } from "#domain/explain/frozen.ts";
import type { KeptStep } from "../attribution/step-of-sale.ts";
import type { Correctable } from "./read-correction.ts";

/**
 * Returns the step that the corrected sale keeps. Undefined if that sale earned no commission, because then no step
 * decided it.
 */
export function keptStep({ newest, explanation }: Pick<Correctable, "newest" | "explanation">): KeptStep | undefined {
  const { sale, commission } = newest;
  const { partnerId, policyId, status } = commission;
  if (status === "void" || partnerId === null || policyId === null || explanation === undefined) return undefined;
  const frozen = readFrozenCommission(explanation.json);
  return frozen.decision === "void" ? undefined : { partnerId, policyId, day: sale.day, step: frozen.tier };
}
