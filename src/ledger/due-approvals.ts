import { earliest, hourMs } from "#domain/calendar.ts";
import type { Duty, DutyParts, InternalWrite, Look, SubmitIsolated, Taking } from "#engine/duty.ts";
import { newApproval } from "#operations/attribution/approval.ts";
import type { Context } from "#operations/operation.ts";
import { approveDueCommissions, nextHoldEnd } from "#store/commissions.ts";
import { endReviews } from "#store/reviews.ts";
import type { Write } from "#store/statement.ts";

const maxApprovalsPerBatch = 500;
const maxIsolated = 10;

/** Approves commissions at the end of their hold, and ends reviews that are over. */
export class DueApprovals implements Duty {
  readonly #given: Pick<Context, "newId" | "postingAt">;
  readonly #parts: DutyParts;
  #at: number | undefined;
  isDue = false;
  #isReviewOver = false;
  #skipped = 0;
  #skippedUntil = 0;

  constructor(given: Pick<Context, "newId" | "postingAt">, parts: DutyParts) {
    this.#given = given;
    this.#parts = parts;
  }

  begin(): undefined {
    if (this.#parts.clock.now() >= this.#skippedUntil) this.#skipped = 0;
  }

  look(): Look {
    const read = nextHoldEnd({ skip: this.#skipped });
    return {
      read,
      found: (rows) => {
        const found = read.decode(rows);
        this.#at = earliest(found?.at ?? undefined, found?.reviewAt ?? undefined);
        const now = this.#parts.clock.now();
        this.isDue = this.#at !== undefined && this.#at <= now;
        this.#isReviewOver = (found?.reviewAt ?? Number.POSITIVE_INFINITY) <= now;
      },
    };
  }

  get nextAt(): number {
    return Math.min(
      this.#at ?? Number.POSITIVE_INFINITY,
      this.#skipped === 0 ? Number.POSITIVE_INFINITY : this.#skippedUntil,
    );
  }

  take({ share, postpone }: Taking): InternalWrite | undefined {
    if (!this.isDue) return undefined;
    this.isDue = false;
    const limit = Math.ceil(maxApprovalsPerBatch * share);
    return {
      ...(this.#isReviewOver
        ? { writes: [], afterCalls: this.#endAndApprove(limit) }
        : { writes: [this.#approve(limit)] }),
      onCommitted: () => {},
      onRefused: () => postpone(new Error("the database refuses to mature commissions")),
    };
  }

  async isolate(submit: SubmitIsolated): Promise<boolean> {
    for (let i = 0; i < maxIsolated && this.isDue; i += 1) {
      const outcome = await submit("approval", () => this.#endAndApprove(1));
      if (outcome === "untried" || outcome === "unanswered") return false;
      if (outcome === "done") continue;
      this.#skipped += 1;
      this.#skippedUntil = this.#parts.clock.now() + hourMs;
      const error = new Error("the database fails at one approval");
      this.#parts.report("ledger.approval_refused", error);
    }
    return true;
  }

  /** What a review has held is approved at once if its hold is over, too. */
  #endAndApprove(limit: number): readonly Write[] {
    return [...endReviews({ at: this.#parts.clock.now(), limit }), this.#approve(limit)];
  }

  #approve(limit: number): Write {
    const at = this.#parts.clock.now();
    return approveDueCommissions({ at, limit, skip: this.#skipped, ...newApproval(this.#given, at) });
  }
}
