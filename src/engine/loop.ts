import { commit } from "./commit.ts";
import { decide } from "./decide.ts";
import { Duties } from "./duties.ts";
import type { InternalWrite } from "./duty.ts";
import { Fallback } from "./fallback.ts";
import { Maintenance } from "./maintenance.ts";
import { Outage } from "./outage.ts";
import type { LoopParts } from "./parts.ts";
import { type Intake, type Lane, Queue } from "./queue.ts";
import { Recovery } from "./recovery.ts";
import { type Decisions, gather, idleCommit, type RoundCommit } from "./round.ts";
import type { Gathered, Task } from "./task.ts";
import { TendedDuty } from "./tended-duty.ts";

/** The share of the current commit's calls that must be waiting before a read for them is worthwhile. */
const worthReading = 1 / 4;

/** Runs rounds one after another. A round reads while the previous round's commit is in progress. */
export class Loop {
  readonly #parts: LoopParts;
  readonly #queue = new Queue<Task>();
  readonly #duties: Duties;
  readonly #fallback: Fallback;
  readonly #outage: Outage;
  readonly #recovery: Recovery;
  readonly #maintenance: Maintenance;
  #isRunning = false;
  #wake = Promise.withResolvers<void>();

  constructor(given: LoopParts) {
    const parts = { ...given, duties: given.duties.map((duty) => new TendedDuty(duty, given)) };
    const queue = this.#queue;
    const duties = new Duties(parts);
    const fallback = new Fallback(parts.clock, queue);
    const outage = new Outage(parts, fallback, () => this.#run());
    const recovery = new Recovery(parts, {
      queue,
      duties,
      fallback,
      outage,
      runRound: () => this.#round(idleCommit),
      commit: (decisions) => this.#write(decisions, []),
    });
    this.#parts = parts;
    this.#duties = duties;
    this.#fallback = fallback;
    this.#outage = outage;
    this.#recovery = recovery;
    this.#maintenance = new Maintenance(parts, {
      duties,
      outage,
      recovery,
      isRunning: () => this.#isRunning,
      submit: (task) => this.submit(task),
      runIfDue: () => this.runIfDue(),
    });
  }

  submit(task: Task): void {
    if (this.#outage.isOngoing) {
      this.#fallback.answer(task);
      this.#outage.probeIfDue();
    } else if (!task.reject()) {
      const dropped = this.#queue.add(task, task.isLineKnown);
      if (dropped !== undefined) this.#fallback.answer(dropped);
      this.#run();
    }
  }

  get queued(): Readonly<Record<Lane, number>> {
    return this.#queue.sizes;
  }

  get isClockWrong(): boolean {
    return this.#outage.isClockWrong;
  }

  /** Starts rounds if there is work, for example for a duty that became due without the alarm. */
  runIfDue(): void {
    if (this.#hasWork && !this.#outage.isOngoing) this.#run();
  }

  maintain(): Promise<number | undefined> {
    return this.#maintenance.run();
  }

  #run(): void {
    this.#wake.resolve();
    if (!this.#isRunning) void this.#rounds();
  }

  async #rounds(): Promise<void> {
    this.#isRunning = true;
    try {
      let last = idleCommit;
      while (!this.#outage.isOngoing && (!last.isDone || this.#hasWork)) last = await this.#round(last);
    } finally {
      // There is no `await` between the last check for work and this line, so a call that arrives later starts new
      // rounds.
      this.#isRunning = false;
    }
  }

  get #hasWork(): boolean {
    return this.#duties.isDue || this.#queue.size > 0;
  }

  /**
   * Runs one round. The round reads while the previous round's commit is in progress, and decides after that commit.
   * The method returns while the round's own commit is still in progress.
   */
  async #round(last: RoundCommit): Promise<RoundCommit> {
    const { writer } = this.#parts;
    const tasks: Task[] = [];
    const results = new Map<Task, Gathered>();
    const gatherMore = async (taken: readonly Task[]) => {
      tasks.push(...taken);
      for (const [task, found] of await gather(taken, writer)) results.set(task, found);
    };
    const early = this.#queue.intake(last.locks);
    try {
      while (!last.isDone) {
        const taken = this.#takeBeside(last, early);
        await (taken.length > 0 ? gatherMore(taken) : this.#wakeUp());
      }
      if (last.fault === undefined) {
        if (tasks.length === 0 && !this.#hasWork) return idleCommit;
        if (!writer.isClaimed) await this.#parts.claim();
        if (tasks.length > 0) {
          return this.#commit(tasks, decide(results, { committing: last.locks, skipped: early.skipped }, this.#parts));
        }
        const intake = this.#queue.intake();
        await gatherMore(this.#take(intake));
        return this.#commit(tasks, decide(results, { skipped: intake.skipped }, this.#parts));
      }
    } catch (error) {
      await last.done;
      if (last.fault === undefined) {
        await this.#recovery.recover(error, { tasks, hasInternalWrites: false });
        return idleCommit;
      }
    }
    // The last round's commit failed. Calls for which reads were made in the meantime go back to the queue.
    this.#queue.requeue(tasks.filter(({ isSettled }) => !isSettled));
    await this.#recovery.recover(last.fault, last);
    return idleCommit;
  }

  /**
   * Takes calls to read while a commit is in progress. If only a few wait, it takes none, because a read for one call
   * takes as long as a read for many.
   */
  #takeBeside({ blocksReads, tasks }: RoundCommit, intake: Intake): readonly Task[] {
    const areFew = this.#queue.size < tasks.length * worthReading;
    return blocksReads || areFew ? [] : this.#take(intake);
  }

  #take(intake: Intake): readonly Task[] {
    this.#fallback.answerExpired();
    return this.#queue.take(intake);
  }

  async #wakeUp(): Promise<void> {
    await this.#wake.promise;
    this.#wake = Promise.withResolvers();
  }

  #commit(tasks: readonly Task[], decisions: Decisions): RoundCommit {
    const { decided, deferred, locks } = decisions;
    const internalWrites = this.#duties.take(decided.some(({ commit }) => commit.writes.length > 0));
    this.#queue.requeue(deferred);
    const committing = {
      tasks: decided.toSorted((a, b) => a.commit.writes.length - b.commit.writes.length).map(({ task }) => task),
      locks,
      blocksReads:
        tasks.some(({ isExclusive }) => isExclusive) ||
        decided.some((each) => each.commit.change !== undefined) ||
        internalWrites.some(({ afterCalls = [] }) => afterCalls.length > 0),
      isDone: false,
      hasInternalWrites: internalWrites.length > 0,
      fault: undefined as unknown,
      done: this.#write(decisions, internalWrites)
        .catch((error: unknown) => {
          committing.fault = error;
        })
        .finally(() => {
          committing.isDone = true;
          this.#wake.resolve();
        }),
    };
    return committing;
  }

  async #write({ decided, ringAt }: Decisions, internalWrites: readonly InternalWrite[]): Promise<void> {
    const { writer, alarm } = this.#parts;
    try {
      await commit(decided, internalWrites, writer, this.#parts);
      if (internalWrites.length > 0) this.#duties.onRoundCommitted();
      this.#parts.outages.end();
      const written = decided.filter((each) => each.commit.writes.length > 0);
      this.#parts.onCommitted?.(new Set(written.map(({ task }) => task.lineId)), internalWrites.length > 0);
    } finally {
      // Sets the alarm even if the write failed, because the commit may have been done.
      if (ringAt < Number.POSITIVE_INFINITY) await alarm.arm(ringAt);
    }
  }
}
