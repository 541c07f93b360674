import { isKeyActor } from "../actor.ts";
import type { DecisionFacts, EntryFacts, StorySale } from "./facts.ts";
import type { FrozenCommission } from "./frozen.ts";

export const entryCauses = ["sale", "refund", "rejection", "move", "payout"] as const;

export interface ExplainedEntry {
  readonly id: number;
  readonly kind: EntryFacts["kind"];
  readonly amountCents: number;
  readonly currency: string;
  readonly partnerCode: string | null;
  readonly occurredAt: number;
  readonly postedAt: number;
  /** `id` is the id that the caller sent: a `transaction_id` or a `refund_id`. */
  readonly standsFor: { readonly type: (typeof entryCauses)[number]; readonly id: string | null };
  readonly by: EntryAuthor;
  /** Null if no payout has reserved or paid the entry. */
  readonly payout: {
    readonly reference: string;
    readonly state: (typeof entryPayoutStates)[number];
    readonly by: EntryAuthor;
  } | null;
}

export const entryPayoutStates = ["reserved", "paid"] as const;

interface EntryAuthor {
  readonly type: "api_key" | "member";
  /** Null for entries of tracking calls, whichever key was used, and for a member whose account was deleted. */
  readonly name: string | null;
}

export const entriesOf = (
  sale: StorySale,
  { movedFrom }: FrozenCommission,
  entries: readonly EntryFacts[],
  decision: DecisionFacts | undefined,
): readonly ExplainedEntry[] =>
  entries.map((entry) => ({
    id: entry.id,
    kind: entry.kind,
    amountCents: entry.amountCents,
    currency: entry.currency,
    partnerCode:
      entry.partnerId === sale.commission.partnerId
        ? sale.partnerCode
        : entry.partnerId === movedFrom?.partnerId
          ? movedFrom.partnerCode
          : null,
    occurredAt: entry.occurredAt,
    postedAt: entry.createdAt,
    standsFor: causeOf(entry, sale),
    payout: payoutOf(entry),
    by: authorOf(entry, decision),
  }));

function authorOf({ kind, authorId, author: name }: EntryFacts, decision: DecisionFacts | undefined): EntryAuthor {
  if (kind === "rejected") return { type: "member", name: decision?.name ?? null };
  return { type: authorId === null || isKeyActor(authorId) ? "api_key" : "member", name };
}

const payoutOf = ({ payoutReference, isPaidOut, payoutBy }: EntryFacts): ExplainedEntry["payout"] =>
  payoutReference === null
    ? null
    : { reference: payoutReference, state: isPaidOut ? "paid" : "reserved", by: { type: "member", name: payoutBy } };

function causeOf({ kind, refundId }: EntryFacts, { transactionId }: StorySale): ExplainedEntry["standsFor"] {
  switch (kind) {
    case "earned":
      return { type: "sale", id: transactionId };
    case "reversed":
    case "restored":
      return { type: "refund", id: refundId };
    case "rejected":
      return { type: "rejection", id: null };
    case "moved":
      return { type: "move", id: transactionId };
    default:
      return { type: "payout", id: null };
  }
}
