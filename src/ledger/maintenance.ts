import { nextHoldEnd } from "../store/commissions.ts";
import { nextPendingMoves } from "../store/customers.ts";
import { unfinishedPayouts } from "../store/payouts.ts";
import { Outdated, Superseded } from "./fenced-writer.ts";
import type { InternalWrites, SubmitIsolated } from "./internal-writes.ts";
import { isolatedWrite } from "./isolated-write.ts";
import type { LoopParts } from "./loop-parts.ts";
import { maintenancePauseMs, type Outage } from "./outage.ts";
import { type Recovery, retryHeavyAfterSeconds } from "./recovery.ts";
import { idleCommit } from "./round.ts";
import type { Steps } from "./steps.ts";
import { type Task, taskOf } from "./task.ts";

const maxMovesPerRun = 10;
const maxPayoutsPerRun = 10;
const minPauseMs = 1_000;

export interface MaintenanceTools {
  readonly internalWrites: InternalWrites;
  readonly outage: Outage;
  readonly recovery: Recovery;
  readonly steps: Steps;
  readonly isRunning: () => boolean;
  readonly submit: (task: Task) => void;
  readonly runIfDue: () => void;
}

/** Work that no call waits for: expired visitor keys, internal writes, sales that follow their customers, payouts. */
export class Maintenance {
  readonly #parts: Pick<LoopParts, "writer" | "visitorKeys" | "clock">;
  readonly #tools: MaintenanceTools;
  #lastMovedCustomerId = 0;
  #lastPayoutId = 0;

  constructor(parts: Pick<LoopParts, "writer" | "visitorKeys" | "clock">, tools: MaintenanceTools) {
    this.#parts = parts;
    this.#tools = tools;
  }

  /** Does a bounded amount of what is due. Returns the next run time (ms), if any. */
  async run(): Promise<number | undefined> {
    const { clock, visitorKeys } = this.#parts;
    const { internalWrites, outage, runIfDue, steps } = this.#tools;
    // Before the probe, since it needs no database.
    const keyExpiresAt = visitorKeys.deleteExpired();
    if (outage.isOngoing) await outage.probe();
    if (outage.isOngoing) return clock.now() + maintenancePauseMs;
    internalWrites.begin();
    const due = await this.#findDue().catch((error: unknown) => this.#recover(error));
    if (due === undefined) return clock.now() + maintenancePauseMs;
    const { approvalAt, moves, payouts } = due;
    internalWrites.planApproval(approvalAt);
    await internalWrites.retryPostponed(this.#submitIsolated);
    const writesAt = internalWrites.nextAt(approvalAt);
    runIfDue();
    const haveMoved = await Promise.all([
      ...moves.map((move) => steps.continueMove(move)),
      ...payouts.map(async (payout) => (await steps.continuePayout(payout)).hasMoved),
    ]);
    const stepsAt =
      haveMoved.length > 0 ? clock.now() + (haveMoved.includes(true) ? 0 : maintenancePauseMs) : undefined;
    const next = Math.min(writesAt, stepsAt ?? Number.POSITIVE_INFINITY, keyExpiresAt ?? Number.POSITIVE_INFINITY);
    return next === Number.POSITIVE_INFINITY ? undefined : Math.max(next, clock.now() + minPauseMs);
  }

  async #findDue() {
    const approval = nextHoldEnd({ skip: this.#tools.internalWrites.skippedApprovals });
    const moving = nextPendingMoves({ after: this.#lastMovedCustomerId, limit: maxMovesPerRun });
    const unfinished = unfinishedPayouts({ after: this.#lastPayoutId, limit: maxPayoutsPerRun });
    const [ofApproval, ofMoves, ofPayouts] = await this.#parts.writer.read([approval, moving, unfinished]);
    const moves = moving.decode(ofMoves ?? []);
    this.#lastMovedCustomerId = moves.at(-1)?.customerId ?? 0;
    const payouts = unfinished.decode(ofPayouts ?? []);
    this.#lastPayoutId = payouts.at(-1)?.id ?? 0;
    return { approvalAt: approval.decode(ofApproval ?? [])?.at ?? undefined, moves, payouts };
  }

  /** Rounds that are running meet the fault themselves. Without any, nothing else would claim a restored database. */
  async #recover(error: unknown): Promise<undefined> {
    const { outage, recovery, isRunning } = this.#tools;
    if (isRunning() || !(error instanceof Superseded || error instanceof Outdated)) throw error;
    await recovery.recover(error, idleCommit);
    if (outage.isOngoing) await outage.probe();
  }

  readonly #submitIsolated: SubmitIsolated = async (operationId, writesOf) => {
    const at = this.#parts.clock.now();
    const task = taskOf(isolatedWrite, { kind: "isolated-write", operationId, at, writesOf }, at);
    this.#tools.submit(task);
    const outcome = await task.outcome;
    if (outcome.ok) return "done";
    const { refusal } = outcome;
    if (refusal.code === "internal") return "refused";
    const isHeavy = refusal.code === "unavailable" && refusal.retryAfterSeconds === retryHeavyAfterSeconds;
    return isHeavy ? "unanswered" : "untried";
  };
}
