import { hourMs } from "../domain/calendar.ts";
import type { Spilled } from "../ledger/spill.ts";
import { newApproval } from "../operations/attribution/approval.ts";
import { writesForClick } from "../operations/track/record-click.ts";
import { approveDueCommissions } from "../store/commissions.ts";
import type { Write } from "../store/statement.ts";
import { ownerOf } from "./commit.ts";
import type { WritesOf } from "./isolated-write.ts";
import type { LoopParts } from "./loop-parts.ts";
import type { InternalWrite } from "./round.ts";

const maxClicksPerBatch = 100;
const maxApprovalsPerBatch = 500;
const maxIsolatedApprovals = 10;
/** A write without an answer this often, each time in another maintenance, counts as refused. */
const maxUnanswered = 3;
const pauseMs = 5_000;
const maxPauseMs = 600_000;
const shareGrowth = 0.05;

/** `unanswered`: the write may have been done. `untried`: it was not sent by itself, or the database is away. */
export type IsolatedOutcome = "done" | "refused" | "unanswered" | "untried";

export type SubmitIsolated = (operationId: string, writesOf: WritesOf) => Promise<IsolatedOutcome>;

/**
 * Spilled clicks to flush, due approvals, and key use: writes that rounds commit along with their calls. After a round
 * with some of them fails, no call shall fail by them again: they are postponed, then sent one by one, and a write that
 * fails by itself is set aside.
 */
export class InternalWrites {
  readonly #parts: Pick<LoopParts, "spill" | "clock" | "alarm" | "context">;
  /** The object's own storage failed to release clicks: they are flushed again at the next maintenance. */
  #isFlushBlocked = false;
  #isKeyUseDue = false;
  #isApprovalDue = false;
  #isPostponed = false;
  #postponedUntil = 0;
  #failedRounds = 0;
  #batchShare = 1;
  readonly #unanswered = new Map<string, number>();
  #skippedApprovals = 0;
  #skippedUntil = 0;

  constructor(parts: Pick<LoopParts, "spill" | "clock" | "alarm" | "context">) {
    this.#parts = parts;
  }

  get isDue(): boolean {
    return !this.#isPostponed && (this.#hasSpilled || this.#isKeyUseDue || this.#isApprovalDue);
  }

  get #hasSpilled(): boolean {
    return !this.#isFlushBlocked && !this.#parts.spill.isEmpty;
  }

  get skippedApprovals(): number {
    return this.#skippedApprovals;
  }

  begin(): void {
    this.#isFlushBlocked = false;
    this.#isKeyUseDue = this.#parts.context.keyUse.isPending;
    if (this.#parts.clock.now() >= this.#skippedUntil) this.#skippedApprovals = 0;
  }

  planApproval(at: number | undefined): void {
    this.#isApprovalDue = at !== undefined && at <= this.#parts.clock.now();
  }

  nextAt(approvalAt: number | undefined): number {
    const dueAt = this.#hasSpilled ? this.#parts.clock.now() : (approvalAt ?? Number.POSITIVE_INFINITY);
    const skippedUntil = this.#skippedApprovals === 0 ? Number.POSITIVE_INFINITY : this.#skippedUntil;
    return Math.min(this.#isPostponed ? this.#postponedUntil : dueAt, skippedUntil);
  }

  take(isRoundWriting: boolean): readonly InternalWrite[] {
    if (this.#isPostponed) return [];
    const { keyUse } = this.#parts.context;
    const writes = [
      ...(this.#hasSpilled ? [this.#flushSpilled()] : []),
      ...(this.#isApprovalDue ? [this.#approveDue()] : []),
    ];
    if (keyUse.isPending) {
      // A call that only reads, such as one for readiness, doesn't cause a write.
      if (isRoundWriting || writes.length > 0 || this.#isKeyUseDue) writes.push(keyUse.write());
      else this.#armAfter(pauseMs);
    }
    this.#isKeyUseDue = false;
    this.#isApprovalDue = false;
    return writes;
  }

  onRoundCommitted(): void {
    this.#failedRounds = 0;
    this.#batchShare = Math.min(1, this.#batchShare + shareGrowth);
  }

  postpone(error: unknown): void {
    const pause = Math.min(maxPauseMs, pauseMs * 2 ** this.#failedRounds);
    this.#failedRounds += 1;
    this.#batchShare /= 2;
    this.#postponeFor(pause);
    this.#parts.context.report("ledger.chores_put_off", error);
  }

  async retryPostponed(submit: SubmitIsolated): Promise<void> {
    if (!this.#isPostponed || this.#parts.clock.now() < this.#postponedUntil) return;
    const submitCounted: SubmitIsolated = async (operationId, writesOf) =>
      this.#countUnanswered(operationId, await submit(operationId, writesOf));
    const isComplete =
      (await this.#flushOneByOne(submitCounted)) &&
      (await this.#writeKeyUse(submitCounted)) &&
      (await this.#approveOneByOne(submitCounted));
    if (!isComplete) return this.#postponeFor(pauseMs);
    this.#isPostponed = false;
    this.#unanswered.clear();
  }

  #countUnanswered(operationId: string, outcome: IsolatedOutcome): IsolatedOutcome {
    const times = (this.#unanswered.get(operationId) ?? 0) + 1;
    this.#unanswered.delete(operationId);
    if (outcome !== "unanswered") return outcome;
    if (times >= maxUnanswered) return "refused";
    this.#unanswered.set(operationId, times);
    return outcome;
  }

  async #flushOneByOne(submit: SubmitIsolated): Promise<boolean> {
    let isComplete = true;
    for (const spilled of this.#parts.spill.oldest(maxClicksPerBatch)) {
      const { click } = spilled;
      const outcome = await submit(click.clickId, ({ newId }) => writesForClick({ ...click, id: newId("clicks") }));
      if (outcome === "untried") return false;
      if (outcome === "done") this.#release([spilled]);
      else if (outcome === "refused") this.#setAside(spilled, new Error("the database does not manage a click"));
      else isComplete = false;
    }
    return isComplete;
  }

  async #writeKeyUse(submit: SubmitIsolated): Promise<boolean> {
    const { keyUse } = this.#parts.context;
    if (!keyUse.isPending) return true;
    const { writes, onCommitted, onRefused } = keyUse.write();
    const outcome = await submit("key use", () => writes);
    if (outcome === "done") onCommitted();
    if (outcome === "refused") onRefused(0);
    return outcome === "done" || outcome === "refused";
  }

  async #approveOneByOne(submit: SubmitIsolated): Promise<boolean> {
    const { clock, context } = this.#parts;
    for (let i = 0; i < maxIsolatedApprovals && this.#isApprovalDue; i += 1) {
      const one = { at: clock.now(), limit: 1, skip: this.#skippedApprovals };
      const outcome = await submit("maturing", (given) => [
        approveDueCommissions({ ...one, ...newApproval(given, one.at) }),
      ]);
      if (outcome === "untried" || outcome === "unanswered") return false;
      if (outcome === "done") continue;
      this.#skippedApprovals += 1;
      this.#skippedUntil = clock.now() + hourMs;
      context.report("ledger.maturing_refused", new Error("the database does not manage to mature a commission"));
    }
    return true;
  }

  #postponeFor(pause: number): void {
    this.#isPostponed = true;
    this.#postponedUntil = this.#parts.clock.now() + pause;
    this.#armAfter(pause);
  }

  #armAfter(pause: number): void {
    void this.#parts.alarm.arm(this.#parts.clock.now() + pause);
  }

  #flushSpilled(): InternalWrite {
    const flushed = this.#oldestSpilled().flatMap((spilled) => {
      const writes = this.#writesOf(spilled);
      return writes === undefined ? [] : [{ ...spilled, writes }];
    });
    return {
      writes: flushed.flatMap(({ writes }) => writes),
      onCommitted: () => this.#release(flushed),
      onRefused: (index) => this.#setAside(ownerOf(flushed, index).owner, new Error("the database refuses a click")),
    };
  }

  #oldestSpilled(): readonly Spilled[] {
    try {
      return this.#parts.spill.oldest(Math.ceil(maxClicksPerBatch * this.#batchShare));
    } catch (error) {
      this.#blockFlush("ledger.spilled_clicks_not_read", error);
      return [];
    }
  }

  #writesOf(spilled: Spilled): readonly Write[] | undefined {
    try {
      return writesForClick({ ...spilled.click, id: this.#parts.context.newId("clicks") });
    } catch (error) {
      this.#setAside(spilled, error);
      return undefined;
    }
  }

  /** Clicks that can't be released are flushed again later, which changes nothing. */
  #release(flushed: readonly Spilled[]): void {
    try {
      this.#parts.spill.release(flushed.map(({ seq }) => seq));
    } catch (error) {
      this.#blockFlush("ledger.spilled_clicks_not_released", error);
    }
  }

  #setAside({ seq, click }: Spilled, error: unknown): void {
    this.#parts.context.report("ledger.spilled_click_refused", error, click.clickId);
    try {
      this.#parts.spill.setAside(seq);
    } catch (fault) {
      this.#blockFlush("ledger.spilled_click_not_set_aside", fault);
    }
  }

  #blockFlush(event: string, error: unknown): void {
    this.#isFlushBlocked = true;
    this.#parts.context.report(event, error);
    this.#armAfter(pauseMs);
  }

  #approveDue(): InternalWrite {
    const limit = Math.ceil(maxApprovalsPerBatch * this.#batchShare);
    const due = { at: this.#parts.clock.now(), limit, skip: this.#skippedApprovals };
    return {
      writes: [approveDueCommissions({ ...due, ...newApproval(this.#parts.context, due.at) })],
      onCommitted: () => {},
      onRefused: () => this.postpone(new Error("the database refuses to mature commissions")),
    };
  }
}
