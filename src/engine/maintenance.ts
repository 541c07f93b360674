import { taskOf } from "../ledger/task.ts";
import { nextHoldEnd } from "../store/commissions.ts";
import { nextPendingMoves } from "../store/customers.ts";
import { Outdated, Superseded } from "./fenced-writer.ts";
import type { InternalWrites, SubmitIsolated } from "./internal-writes.ts";
import { isolatedWrite } from "./isolated-write.ts";
import type { LoopParts } from "./loop-parts.ts";
import { maintenancePauseMs, type Outage } from "./outage.ts";
import { type Recovery, retryHeavyAfterSeconds } from "./recovery.ts";
import { idleCommit } from "./round.ts";
import type { Task } from "./task.ts";

const maxMovesPerRun = 10;
/** Sales of a customer that follow in one run, by 100. */
const maxStepsPerMove = 20;
const minPauseMs = 1_000;

interface PendingMove {
  readonly customerId: number;
  readonly programId: number;
}

export interface MaintenanceTools {
  readonly internalWrites: InternalWrites;
  readonly outage: Outage;
  readonly recovery: Recovery;
  readonly isRunning: () => boolean;
  readonly submit: (task: Task) => void;
  readonly runIfDue: () => void;
}

/** Work that no call waits for: expired visitor keys, internal writes, sales that follow their customers. */
export class Maintenance {
  readonly #parts: Pick<LoopParts, "writer" | "visitorKeys" | "clock">;
  readonly #tools: MaintenanceTools;
  #lastMovedCustomerId = 0;

  constructor(parts: Pick<LoopParts, "writer" | "visitorKeys" | "clock">, tools: MaintenanceTools) {
    this.#parts = parts;
    this.#tools = tools;
  }

  /** Does a bounded amount of what is due. Returns the next run time (ms), if any. */
  async run(): Promise<number | undefined> {
    const { clock, visitorKeys } = this.#parts;
    const { internalWrites, outage, runIfDue } = this.#tools;
    // Before the probe, since it needs no database.
    const keyExpiresAt = visitorKeys.deleteExpired();
    if (outage.isOngoing) await outage.probe();
    if (outage.isOngoing) return clock.now() + maintenancePauseMs;
    internalWrites.begin();
    const due = await this.#findDue().catch((error: unknown) => this.#recover(error));
    if (due === undefined) return clock.now() + maintenancePauseMs;
    const { approvalAt, moves } = due;
    internalWrites.planApproval(approvalAt);
    await internalWrites.retryPostponed(this.#submitIsolated);
    const writesAt = internalWrites.nextAt(approvalAt);
    runIfDue();
    const haveMoved = await Promise.all(moves.map((move) => this.#continueMove(move)));
    const stepsAt =
      haveMoved.length > 0 ? clock.now() + (haveMoved.includes(true) ? 0 : maintenancePauseMs) : undefined;
    const next = Math.min(writesAt, stepsAt ?? Number.POSITIVE_INFINITY, keyExpiresAt ?? Number.POSITIVE_INFINITY);
    return next === Number.POSITIVE_INFINITY ? undefined : Math.max(next, clock.now() + minPauseMs);
  }

  async #findDue() {
    const approval = nextHoldEnd({ skip: this.#tools.internalWrites.skippedApprovals });
    const moving = nextPendingMoves({ after: this.#lastMovedCustomerId, limit: maxMovesPerRun });
    const [ofApproval, ofMoves] = await this.#parts.writer.read([approval, moving]);
    const moves = moving.decode(ofMoves ?? []);
    this.#lastMovedCustomerId = moves.at(-1)?.customerId ?? 0;
    return { approvalAt: approval.decode(ofApproval ?? [])?.at ?? undefined, moves };
  }

  /**
   * Each step is a call that waits its turn, so that other calls come in between. What is left is in the database, and
   * continues after a restart. Returns false if no step could be taken.
   */
  async #continueMove({ customerId, programId }: PendingMove): Promise<boolean> {
    const { continueMove } = await import("../operations/customer-events.ts");
    const operationId = `move of customer ${customerId}`;
    for (let steps = 0; steps < maxStepsPerMove; steps += 1) {
      const at = this.#parts.clock.now();
      const task = taskOf(continueMove, { kind: "continue-move", operationId, at, programId, customerId }, at);
      this.#tools.submit(task);
      const outcome = await task.outcome;
      if (!outcome.ok) return steps > 0;
      if (outcome.answer.isOver) return true;
    }
    return true;
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
