import { createHash, createHmac } from "node:crypto";
import type { PartnerId } from "./ids.ts";
import type { PaymentVersionId } from "./payment-details.ts";
import type { SkipReason } from "./payout-status.ts";

/** Fields of a line that never change once its payout is finalized. */
export interface FrozenLine {
  readonly id: number;
  readonly partnerId: PartnerId;
  readonly name: string;
  readonly email: string | null;
  readonly paymentId: PaymentVersionId | null;
  readonly detailsChangedAt: number | null;
  readonly beforeCents: number | null;
  readonly amountCents: number;
}

/** 132 bits are enough to tell digests apart. */
const digestLength = 22;

/** Without its salt, the address can't be guessed from a digest. */
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
      line.paymentId,
      line.detailsChangedAt,
      line.beforeCents,
      line.amountCents,
    ]),
  );

/** Covers a payout's paid lines, by partner id. */
export const payoutEvidence = (evidence: readonly string[]): string => digestOf(evidence.join(" "));

export type Skipped = readonly (readonly [reason: SkipReason, lines: number])[];

/** The number of skipped lines, by reason. */
export function skippedOf(lines: readonly { readonly reason: SkipReason | null }[]): Skipped {
  const counts = new Map<SkipReason, number>();
  for (const { reason } of lines) if (reason !== null) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return [...counts].sort(([a], [b]) => (a < b ? -1 : 1));
}
