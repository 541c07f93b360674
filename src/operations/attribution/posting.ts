import { commissionLeft } from "#domain/commission.ts";
import type { PartnerId } from "#domain/ids.ts";
import { replayRefunds } from "#domain/refund.ts";
import { attributeRefund, moveRefunds } from "#store/refunds.ts";
import type { FollowingRefund, FollowingSale } from "#store/sales.ts";
import type { Write } from "#store/statement.ts";
import type { Entry } from "./commission-for-sale.ts";

// The ledger entries of a sale that moves to another partner.

export type SaleWithRefunds = FollowingSale & { readonly refunds: readonly FollowingRefund[] };

export interface Posting {
  readonly entries: readonly Entry[];
  readonly ofRefunds: readonly Write[];
}

export function postMoved(
  { sale, commission, refunds }: SaleWithRefunds,
  partnerId: PartnerId | null,
  previousPartnerId: PartnerId | null,
  initialCents: number,
): Posting {
  const { occurredAt, day } = sale;
  const moved = (amountCents: number, of: number): Entry => ({
    kind: "moved",
    amountCents,
    partnerId: of,
    occurredAt,
    day,
  });
  const left = commissionLeft(initialCents, sale.amountCents, sale.refundedCents);
  const entries: Entry[] = [];
  if (previousPartnerId !== null && commission.amountCents > 0) {
    entries.push(moved(-commission.amountCents, previousPartnerId));
  }
  if (left > 0 && partnerId !== null) entries.push(moved(left, partnerId));
  return { entries, ofRefunds: refunds.length > 0 ? [moveRefunds({ saleId: sale.id, partnerId })] : [] };
}

/**
 * Posts the commission of a sale that had earned none. Refunds recorded before now reverse parts of that commission.
 */
export function postEarned({ sale, refunds }: SaleWithRefunds, partnerId: PartnerId, initialCents: number): Posting {
  const parts = refunds.map(({ countedCents }) => countedCents);
  const replayed = replayRefunds(initialCents, sale.amountCents, parts);
  const { occurredAt, day } = sale;
  const entries: Entry[] = [{ kind: "earned", amountCents: initialCents, partnerId, occurredAt, day }];
  const ofRefunds: Write[] = [];
  for (const [i, refund] of refunds.entries()) {
    const { reversedCents = 0, leftCents = 0, isWhole = false } = replayed[i] ?? {};
    ofRefunds.push(
      attributeRefund({
        id: refund.id,
        partnerId,
        status: refund.status === "no_commission" ? (isWhole ? "reversed" : "refunded") : refund.status,
        commissionReversedCents: reversedCents,
        commissionAmountCents: leftCents,
      }),
    );
    const { id: refundId, occurredAt: refundedAt, day: refundDay } = refund;
    if (reversedCents > 0) {
      const amountCents = -reversedCents;
      entries.push({ kind: "reversed", amountCents, partnerId, refundId, occurredAt: refundedAt, day: refundDay });
    }
  }
  return { entries, ofRefunds };
}
