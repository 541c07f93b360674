import { earliest } from "#domain/calendar.ts";
import { canAutoApprove } from "#domain/commission.ts";
import type { CommissionId } from "#domain/ids.ts";
import type { Refusal } from "#domain/refusal.ts";
import { notFound } from "#domain/result.ts";
import { operationsDone } from "#store/audit.ts";
import { type LiveCommission, liveCommission, setCommissionState } from "#store/commissions.ts";
import { endHolds, handHold, insertSignal } from "#store/signals.ts";
import { lookUpEach, type Write } from "#store/statement.ts";
import { newApproval, noApproval } from "../attribution/approval.ts";
import { awaitedBy, newSignal, notHeld } from "../attribution/commission-for-sale.ts";
import { customerLock, transactionLock } from "../attribution/resolve-customer.ts";
import { payoutLock } from "../locks.ts";
import { type Context, type Gathered, type Locks, type Operation, refuse } from "../operation.ts";
import { operationOf } from "./decide-commissions.ts";
import { noted } from "./noted.ts";
import { auditWrite, type ChangeCall } from "./settings-change.ts";

export interface ReviewCommissionsCall extends ChangeCall {
  readonly kind: "review-commissions";
  /** At most 500 commissions, without duplicates. */
  readonly commissionIds: readonly [number, ...number[]];
  readonly review: HoldReview | ReleaseReview;
}

interface HoldReview {
  readonly action: "hold";
  readonly reason: string;
  readonly partnerNote: string | null;
}

interface ReleaseReview {
  readonly action: "release";
  readonly note: string | null;
}

export type ReviewOutcome =
  | { readonly id: CommissionId; readonly result: "held" | "released" | "unchanged" }
  | { readonly id: CommissionId; readonly result: "refused"; readonly refusal: Refusal };

type Commission = LiveCommission["commission"];

function gather({ operationId, programId, commissionIds }: ReviewCommissionsCall) {
  const [first, ...others] = commissionIds;
  const each = <T>(of: (id: CommissionId) => T): [T, ...T[]] => [of(first), ...others.map(of)];
  return {
    done: operationsDone({ operationIds: JSON.stringify(each((id) => operationOf(operationId, id))) }),
    rows: lookUpEach(each((id) => liveCommission({ programId, id }))),
    hands: lookUpEach(each((id) => handHold({ programId, id }))),
  };
}
type Found = Gathered<ReturnType<typeof gather>>;

/** Holds commissions manually, or releases all their holds. A refused commission doesn't affect the others. */
export const reviewCommissions: Operation<
  ReviewCommissionsCall,
  ReturnType<typeof gather>,
  readonly ReviewOutcome[]
> = {
  kind: "review-commissions",
  isEssential: true,
  lane: "control",
  needs: ({ programId }) => [{ kind: "program", programId }],

  gather,

  locks({ programId, commissionIds }, { rows }): Locks {
    const known = rows.filter((row) => row !== undefined);
    const absent = commissionIds.filter((_, i) => rows[i] === undefined);
    return {
      exclusive: [
        ...known.map(({ transactionId }) => transactionLock({ programId, isTest: false }, transactionId)),
        ...absent.map((id) => `commission ${id}`),
      ],
      shared: [
        ...new Set(known.flatMap(({ customerId }) => (customerId === null ? [] : [customerLock(customerId)]))),
        payoutLock(programId),
      ],
    };
  },

  decide(call, found, context) {
    const { programId } = call;
    if (!context.settings.program(programId)) return refuse(notFound("program"));
    const step = new Step(call, found, context);
    const decided = call.commissionIds.map((id, i) => step.decide(id, i));
    return {
      kind: "commit",
      programId,
      answer: decided.map(({ outcome }) => outcome),
      writes: byKind(decided),
      holdUntil: earliest(...decided.map(({ holdUntil }) => holdUntil)),
    };
  },
};

interface Decided {
  readonly outcome: ReviewOutcome;
  readonly notes: readonly Write[];
  readonly ofSignals: readonly Write[];
  readonly ofCommission: readonly Write[];
  readonly audit: readonly Write[];
  readonly holdUntil: number | undefined;
}

const nothing = { notes: [], ofSignals: [], ofCommission: [], audit: [], holdUntil: undefined } as const;

const unchanged = (id: CommissionId): Decided => ({ ...nothing, outcome: { id, result: "unchanged" } });

const refused = (id: CommissionId, refusal: Refusal): Decided => ({
  ...nothing,
  outcome: { id, result: "refused", refusal },
});

/** Groups the writes by kind, because the database layer combines statements with the same SQL. */
const byKind = (all: readonly Decided[]): readonly Write[] =>
  (["notes", "ofSignals", "ofCommission", "audit"] as const).flatMap((kind) => all.flatMap((each) => each[kind]));

function whyNotHeld({ status, approvedBy, heldBy }: Commission): Refusal | undefined {
  if (status !== "pending" && status !== "approved") return { code: "not_open", status };
  if (approvedBy === "person") return { code: "approved_by_person" };
  return heldBy === null ? undefined : { code: "reserved" };
}

class Step {
  readonly #call: ReviewCommissionsCall;
  readonly #found: Found;
  readonly #context: Context;
  readonly #done: ReadonlySet<string>;

  constructor(call: ReviewCommissionsCall, found: Found, context: Context) {
    this.#call = call;
    this.#found = found;
    this.#context = context;
    this.#done = new Set(found.done.map(({ operationId }) => operationId));
  }

  decide(id: CommissionId, i: number): Decided {
    const { review, operationId } = this.#call;
    const row = this.#found.rows[i];
    const hand = this.#found.hands[i];
    if (row === undefined) return refused(id, notFound("commission"));
    const { commission } = row;
    const isSame = review.action === "hold" ? hand?.isLive : commission.heldAt === null;
    if (isSame || this.#done.has(operationOf(operationId, id))) return unchanged(id);
    if (review.action === "release") return this.#release(row, review);
    const refusal = whyNotHeld(commission);
    return refusal === undefined ? this.#hold(commission, review, hand?.lastAt ?? 0) : refused(id, refusal);
  }

  /** Holds a commission. An automatically approved one becomes pending again. */
  #hold(commission: Commission, { reason, partnerNote }: HoldReview, lastAt: number): Decided {
    const { programId, at } = this.#call;
    const { id, heldAt } = commission;
    const texts = noted({ programId, subject: `commission ${id}` }, { reason, partnerNote }, this.#context);
    // Each manual hold of a commission needs its own instant.
    const raisedAt = Math.max(at, lastAt + 1);
    const signal = newSignal(commission, {
      code: "by_hand",
      effect: "hold",
      evidence: "{}",
      noteId: texts.named.reason.note,
      partnerId: null,
      raisedAt,
      reviewUntil: null,
    });
    const after = {
      ...commission,
      status: "pending" as const,
      heldAt: Math.min(heldAt ?? raisedAt, raisedAt),
      reviewUntil: null,
      ...noApproval,
    };
    return {
      outcome: { id, result: "held" },
      notes: texts.writes,
      ofSignals: [insertSignal(signal)],
      ofCommission: [setCommissionState(after)],
      audit: [this.#record("commission.held", [commission, after], texts.named)],
      holdUntil: undefined,
    };
  }

  /**
   * Ends the review holds, and gives the commission the status that it would have without them. It isn't approved while
   * a pending move (the stored progress of a reattribution) still has to reattribute its sale.
   */
  #release({ commission, isMoving }: LiveCommission, { note }: ReleaseReview): Decided {
    const { programId, at } = this.#call;
    const { id, status, holdUntil, isUnconfirmed } = commission;
    const texts = noted({ programId, subject: `commission ${id}` }, { note }, this.#context);
    const awaiting = { status, holdUntil: holdUntil ?? 0, unconfirmed: isUnconfirmed, held: false };
    const approval =
      canAutoApprove(awaiting, at) && !isMoving
        ? ({ ...newApproval(this.#context, at), approvedBy: "hold", status: "approved" } as const)
        : {};
    const after = { ...commission, ...notHeld, ...approval };
    return {
      outcome: { id, result: "released" },
      notes: texts.writes,
      ofSignals: [endHolds({ commissionId: id, at })],
      ofCommission: [setCommissionState(after)],
      audit: [this.#record("commission.released", [commission, after], texts.named)],
      holdUntil: awaitedBy(after),
    };
  }

  #record(
    action: string,
    [before, after]: readonly [Commission, Commission],
    named: Readonly<Record<string, unknown>>,
  ) {
    const { programId, operationId } = this.#call;
    const { id, amountCents } = before;
    const change = {
      programId,
      action,
      subject: `commission ${id}`,
      before: { status: before.status, amountCents },
      after: { status: after.status, amountCents, ...named },
    };
    return auditWrite({ ...this.#call, operationId: operationOf(operationId, id) }, change, this.#context);
  }
}
