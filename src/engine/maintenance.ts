import { type Duties, earliest } from "./duties.ts";
import type { SubmitIsolated } from "./duty.ts";
import { maintenancePauseMs, type Outage } from "./outage.ts";
import type { LoopParts } from "./parts.ts";
import { type Recovery, retryHeavyAfterSeconds } from "./recovery.ts";
import { idleCommit } from "./round.ts";
import type { Task } from "./task.ts";
import { Outdated, Superseded } from "./writer.ts";

const minPauseMs = 1_000;

export interface MaintenanceTools {
  readonly duties: Duties;
  readonly outage: Outage;
  readonly recovery: Recovery;
  readonly isRunning: () => boolean;
  readonly submit: (task: Task) => void;
  readonly runIfDue: () => void;
}

/** Runs the duties (background work) when the alarm rings. */
export class Maintenance {
  readonly #parts: LoopParts;
  readonly #tools: MaintenanceTools;

  constructor(parts: LoopParts, tools: MaintenanceTools) {
    this.#parts = parts;
    this.#tools = tools;
  }

  /** Does a limited amount of the due work. Returns the time of the next run (ms), if any. */
  async run(): Promise<number | undefined> {
    const { clock, duties: each, writer, outages } = this.#parts;
    const { duties, outage, submit, runIfDue } = this.#tools;
    const begun = each.map((duty) => duty.begin?.());
    if (outage.isOngoing || this.#mustCheckOutage) await outage.probe();
    if (outage.isOngoing || !(await this.#look())) return clock.now() + maintenancePauseMs;
    // A claim is a write, so its success shows that the database is available again.
    if (writer.isClaimed) outages.end();
    await duties.retryPostponed(this.#submitIsolated);
    const { nextAt } = duties;
    runIfDue();
    const next = earliest([...begun, nextAt, ...(await Promise.all(each.map((duty) => duty.run?.(submit))))]);
    return next === Number.POSITIVE_INFINITY ? undefined : Math.max(next, clock.now() + minPauseMs);
  }

  /** True if an earlier instance was in an outage, and this one hasn't written yet. */
  get #mustCheckOutage(): boolean {
    const { writer, outages } = this.#parts;
    return outages.isOngoing && !writer.isClaimed && !this.#tools.isRunning();
  }

  /** Reads the due work of all duties. Returns false if the database can't be read. */
  async #look(): Promise<boolean> {
    const looks = this.#parts.duties.flatMap((duty) => duty.look?.() ?? []);
    try {
      const results = await this.#parts.writer.read(looks.map(({ read }) => read));
      for (const [i, { found }] of looks.entries()) found(results[i] ?? []);
      return true;
    } catch (error) {
      await this.#recover(error);
      return false;
    }
  }

  /**
   * Recovers from a failed read. If rounds are running, they handle the fault. Otherwise, a restored database must be
   * claimed here.
   */
  async #recover(error: unknown): Promise<void> {
    const { outage, recovery, isRunning } = this.#tools;
    if (isRunning() || !(error instanceof Superseded || error instanceof Outdated)) throw error;
    await recovery.recover(error, idleCommit);
    if (outage.isOngoing) await outage.probe();
  }

  readonly #submitIsolated: SubmitIsolated = async (id, writesOf) => {
    const task = this.#parts.isolated(id, writesOf);
    this.#tools.submit(task);
    const outcome = await task.outcome;
    if (outcome.ok) return "done";
    const { code, retryAfterSeconds } = outcome.refusal;
    if (code === "internal") return "refused";
    return code === "unavailable" && retryAfterSeconds === retryHeavyAfterSeconds ? "unanswered" : "untried";
  };
}
