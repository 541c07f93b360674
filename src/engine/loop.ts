import { claim } from "./claim.ts";
import { commit } from "./commit.ts";
import { decide } from "./decide.ts";
import { Fallback } from "./fallback.ts";
import { InternalWrites } from "./internal-writes.ts";
import type { LoopParts } from "./loop-parts.ts";
import { Maintenance } from "./maintenance.ts";
import { Outage } from "./outage.ts";
import { type Intake, type Lane, Queue } from "./queue.ts";
import { Recovery } from "./recovery.ts";
import {
  type Decisions,
  type Gathered,
  gather,
  type InternalWrite,
  idleCommit,
  type RoundCommit,
  rejectInvalidKey,
} from "./round.ts";
import type { Task } from "./task.ts";

/** Of the calls in the commit under way. */
const worthReading = 1 / 4;

/** Runs rounds, one after another. Each gathers while the one before it is committed. */
export class Loop {
  readonly #parts: LoopParts;
  readonly #queue = new Queue<Task>();
  readonly #internalWrites: InternalWrites;
  readonly #fallback: Fallback;
  readonly #outage: Outage;
  readonly #recovery: Recovery;
  readonly #maintenance: Maintenance;
  #isRunning = false;
  #wake = Promise.withResolvers<void>();

  constructor(parts: LoopParts) {
    const queue = this.#queue;
    const internalWrites = new InternalWrites(parts);
    const fallback = new Fallback(parts, queue);
    const outage = new Outage(parts, fallback, () => this.#run());
    const recovery = new Recovery(parts, {
      queue,
      internalWrites,
      fallback,
      outage,
      runRound: () => this.#round(idleCommit),
      commit: (decisions) => this.#write(decisions, []),
    });
    this.#parts = parts;
    this.#internalWrites = internalWrites;
    this.#fallback = fallback;
    this.#outage = outage;
    this.#recovery = recovery;
    this.#maintenance = new Maintenance(parts, {
      internalWrites,
      outage,
      recovery,
      isRunning: () => this.#isRunning,
      submit: (task) => this.submit(task),
      runIfDue: () => {
        if (this.#hasWork) this.#run();
      },
    });
  }

  submit(task: Task): void {
    if (this.#outage.isOngoing) {
      this.#fallback.answer(task);
      this.#outage.probeIfDue();
    } else if (!rejectInvalidKey(task, this.#parts.context)) {
      const dropped = this.#queue.add(task, this.#isKnown(task.programId));
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

  /** Calls that name no program share the turns of one. */
  #isKnown(programId: number): boolean {
    const { context, spill } = this.#parts;
    return programId === 0 || Boolean(context.settings.program(programId) ?? spill.settings.program(programId));
  }

  retrySpilled(): number {
    const retried = this.#parts.spill.retry();
    if (this.#internalWrites.isDue && !this.#outage.isOngoing) this.#run();
    return retried;
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
      // In the same turn as the last look for work: a call that comes after it starts the next rounds.
      this.#isRunning = false;
    }
  }

  get #hasWork(): boolean {
    return this.#internalWrites.isDue || this.#queue.size > 0;
  }

  /** Gathers while the last round is committed, decides once that is done, and returns with its own commit under way. */
  async #round(last: RoundCommit): Promise<RoundCommit> {
    const { writer, context } = this.#parts;
    const tasks: Task[] = [];
    const results = new Map<Task, Gathered>();
    const gatherMore = async (taken: readonly Task[]) => {
      tasks.push(...taken);
      for (const [task, found] of await gather(taken, writer, context)) results.set(task, found);
    };
    const early = this.#queue.intake(last.locks);
    try {
      while (!last.isDone) {
        const taken = this.#takeBeside(last, early);
        await (taken.length > 0 ? gatherMore(taken) : this.#wakeUp());
      }
      if (last.fault === undefined) {
        if (tasks.length === 0 && !this.#hasWork) return idleCommit;
        if (!writer.isClaimed) await claim(this.#parts);
        if (tasks.length > 0) {
          return this.#commit(tasks, decide(results, { committing: last.locks, skipped: early.skipped }, context));
        }
        const intake = this.#queue.intake();
        await gatherMore(this.#take(intake));
        return this.#commit(tasks, decide(results, { skipped: intake.skipped }, context));
      }
    } catch (error) {
      await last.done;
      if (last.fault === undefined) {
        await this.#recovery.recover(error, { tasks, hasInternalWrites: false });
        return idleCommit;
      }
    }
    // The last round failed: calls that were gathered meanwhile wait again, and are treated as all that wait.
    this.#queue.requeue(tasks.filter(({ isSettled }) => !isSettled));
    await this.#recovery.recover(last.fault, last);
    return idleCommit;
  }

  /** Waits for more calls if there are few: a read for one takes as long as a read for many. */
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
    const internalWrites = this.#internalWrites.take(decided.some(({ commit }) => commit.writes.length > 0));
    this.#queue.requeue(deferred);
    const committing = {
      tasks: decided.toSorted((a, b) => a.commit.writes.length - b.commit.writes.length).map(({ task }) => task),
      locks,
      blocksReads:
        tasks.some(({ isExclusive }) => isExclusive) || decided.some((each) => each.commit.changes !== undefined),
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

  async #write({ decided, holdUntil }: Decisions, internalWrites: readonly InternalWrite[]): Promise<void> {
    const { writer, context, alarm } = this.#parts;
    try {
      await commit(decided, internalWrites, writer, context);
      if (internalWrites.length > 0) this.#internalWrites.onRoundCommitted();
    } finally {
      // Also without an answer: the hold has begun if the commit was done.
      if (holdUntil !== undefined) await alarm.arm(holdUntil);
    }
  }
}
