import { createHash, createHmac } from "node:crypto";
import type { PartnerId } from "./ids.ts";
import type { PaymentVersionId } from "./payment-details.ts";
import type { SkipReason } from "./payout-status.ts";

/** The fields of a payout line that don't change once the payout is final, unless the partner is erased. */
export interface FrozenLine {
  readonly id: number;
  readonly partnerId: PartnerId;
  readonly name: string;
  readonly email: string | null;
  readonly externalId: string | null;
  readonly paymentId: PaymentVersionId | null;
  readonly detailsChangedAt: number | null;
  readonly beforeCents: number | null;
  readonly amountCents: number;
}

/** 132 bits, which are enough to distinguish digests. */
const digestLength = 22;

/** A salt for the digest of a line. Without it, the address in the line could be guessed from the digest. */
export const evidenceSalt = (hashSecret: string, lineId: number): string =>
  createHmac("sha256", hashSecret).update(`payout line ${lineId}`).digest("base64url").slice(0, digestLength);

const digestOf = (text: string): string => createHash("sha256").update(text).digest("base64url").slice(0, digestLength);

export const lineEvidence = (salt: string, line: FrozenLine): string =>
  digestOf(
    JSON.stringify([
      salt,
      line.id,
      line.partnerId,
      line.name,
      line.email,
      line.externalId,
      line.paymentId,
      line.detailsChangedAt,
      line.beforeCents,
      line.amountCents,
    ]),
  );

/** A digest over the evidence of a payout's paid lines, in the order of partner ids. */
export const payoutEvidence = (evidence: readonly string[]): string => digestOf(evidence.join(" "));

export type Skipped = readonly (readonly [reason: SkipReason, lines: number])[];

/** The number of lines skipped for each reason. */
export function skippedOf(lines: readonly { readonly reason: SkipReason | null }[]): Skipped {
  const counts = new Map<SkipReason, number>();
  for (const { reason } of lines) if (reason !== null) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return [...counts].sort(([a], [b]) => (a < b ? -1 : 1));
}
