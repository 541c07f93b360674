import { earliest, hourMs } from "#domain/calendar.ts";
import type { Duty, DutyParts, InternalWrite, Look, SubmitIsolated, Taking } from "#engine/duty.ts";
import { newApproval } from "#operations/attribution/approval.ts";
import type { Context } from "#operations/operation.ts";
import { approveDueCommissions, nextHoldEnd } from "#store/due-commissions.ts";
import { endReviews } from "#store/reviews.ts";
import type { Write } from "#store/statement.ts";

const maxApprovalsPerBatch = 500;
const maxIsolated = 10;

const refused = {
  review: { event: "ledger.review_end_refused", message: "the write that ends a single review failed" },
  approval: { event: "ledger.approval_refused", message: "the write of a single approval failed" },
  couponApproval: { event: "ledger.approval_refused", message: "the write of a single approval failed" },
} as const;

interface Due {
  /** When the next approval or end of a review is due (ms), apart from skipped ones. */
  at?: number | undefined;
  /** The number of approvals or ends of reviews that failed. They are skipped until they are retried. */
  skipped: number;
}

/** Approves commissions at the end of their hold, and ends reviews whose time is over. */
export class DueApprovals implements Duty {
  readonly name = "approvals";
  readonly #given: Pick<Context, "newId" | "postingAt">;
  readonly #parts: DutyParts;
  readonly #due: Readonly<Record<keyof typeof refused, Due>> = {
    review: { skipped: 0 },
    approval: { skipped: 0 },
    couponApproval: { skipped: 0 },
  };
  #skippedUntil = 0;
  isDue = false;

  constructor(given: Pick<Context, "newId" | "postingAt">, parts: DutyParts) {
    this.#given = given;
    this.#parts = parts;
  }

  begin(): undefined {
    if (this.#parts.clock.now() < this.#skippedUntil) return;
    for (const due of Object.values(this.#due)) due.skipped = 0;
  }

  look(): Look {
    const { review, approval, couponApproval } = this.#due;
    const read = nextHoldEnd({
      skip: approval.skipped,
      skipCoupons: couponApproval.skipped,
      skipReviews: review.skipped,
    });
    return {
      read,
      found: (rows) => {
        const found = read.decode(rows);
        approval.at = found?.at ?? undefined;
        couponApproval.at = found?.couponAt ?? undefined;
        review.at = found?.reviewAt ?? undefined;
        this.isDue = Object.values(this.#due).some((each) => this.#isOver(each));
      },
    };
  }

  get nextAt(): number {
    const each = Object.values(this.#due);
    const retryAt = each.some(({ skipped }) => skipped > 0) ? this.#skippedUntil : undefined;
    return earliest(retryAt, ...each.map(({ at }) => at)) ?? Number.POSITIVE_INFINITY;
  }

  take({ share, postpone }: Taking): InternalWrite {
    this.isDue = false;
    const limit = Math.ceil(maxApprovalsPerBatch * share);
    const approve = this.#approve(limit);
    const approveCoupons = this.#approveCoupons(limit);
    const { review, couponApproval } = this.#due;
    return {
      // Reviews end first, so that a commission whose hold period is over too is approved in the same commit.
      // Commissions of coupon sales are approved after the calls of the round, because these calls may move them to
      // another partner.
      ...(this.#isOver(review)
        ? { writes: [], afterCalls: [...this.#endReviews(limit), approve, approveCoupons] }
        : { writes: [approve], ...(this.#isOver(couponApproval) && { afterCalls: [approveCoupons] }) }),
      onCommitted: () => {},
      onRefused: () => postpone(new Error("the database refused to approve due commissions")),
    };
  }

  async isolate(submit: SubmitIsolated): Promise<boolean> {
    return (
      (await this.#isolateEach("review", () => this.#endReviews(1), submit)) &&
      (await this.#isolateEach("approval", () => [this.#approve(1)], submit)) &&
      (await this.#isolateEach("couponApproval", () => [this.#approveCoupons(1)], submit))
    );
  }

  async #isolateEach(
    kind: keyof typeof refused,
    writesOf: () => readonly Write[],
    submit: SubmitIsolated,
  ): Promise<boolean> {
    const due = this.#due[kind];
    for (let i = 0; i < maxIsolated && this.#isOver(due); i += 1) {
      const outcome = await submit(kind, writesOf);
      if (outcome === "untried" || outcome === "unanswered") return false;
      if (outcome === "done") continue;
      due.skipped += 1;
      this.#skippedUntil = this.#parts.clock.now() + hourMs;
      const { event, message } = refused[kind];
      this.#parts.report(event, new Error(message));
    }
    return true;
  }

  #isOver({ at }: Due): boolean {
    return at !== undefined && at <= this.#parts.clock.now();
  }

  #endReviews(limit: number): readonly Write[] {
    return endReviews({ at: this.#parts.clock.now(), limit, skip: this.#due.review.skipped });
  }

  #approve(limit: number): Write {
    return approveDueCommissions.own(this.#approval(limit, this.#due.approval));
  }

  #approveCoupons(limit: number): Write {
    return approveDueCommissions.ofCoupons(this.#approval(limit, this.#due.couponApproval));
  }

  #approval(limit: number, { skipped: skip }: Due) {
    const at = this.#parts.clock.now();
    return { at, limit, skip, ...newApproval(this.#given, at) };
  }
}
