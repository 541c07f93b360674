import type { Settings } from "../operations/operation.ts";
import { acceptClick, type ClickAnswer, type ClickCall, clickAnswer } from "../operations/track/record-click.ts";
import { nextHoldEnd } from "../store/commissions.ts";
import { nextPendingMoves } from "../store/customers.ts";
import type { Alarm } from "./alarm.ts";
import { type Clock, type FencedWriter, Outdated, Superseded, Unable, Unreachable } from "./fenced-writer.ts";
import { type Alone, InternalWrites } from "./internal-writes.ts";
import { LockSet } from "./lock-set.ts";
import { ownWrites } from "./own-writes.ts";
import { type Intake, type Lane, Queue } from "./queue.ts";
import {
  commit,
  type Decisions,
  decide,
  type Gathered,
  gather,
  type InternalWrite,
  isRejectedByKey,
  type RoundContext,
  retryAfterSeconds,
} from "./round.ts";
import type { Spill } from "./spill.ts";
import { type Task, taskOf } from "./task.ts";
import type { VisitorKeys } from "./visitor-keys.ts";

/** Customers whose sales move at a time, and steps of each before the next upkeep. */
const maxMoves = 10;
const maxMoveSteps = 20;
/** A call that has waited this long hears that we are not available, while its caller still listens. */
const maxWaitMs = 9_000;
const probePauseMs = 250;
/** A database that answers within this long is not away. */
export const promptMs = 1_000;
/** For a call that may keep all others waiting each time it comes. */
const retryHeavyAfterSeconds = 60;
const upkeepPauseMs = 5_000;
/** Between two steps of the same upkeep. */
const stepPauseMs = 1_000;

export interface LoopParts {
  readonly writer: FencedWriter;
  readonly spill: Spill;
  readonly visitorKeys: Pick<VisitorKeys, "deleteExpired">;
  readonly clock: Clock;
  readonly alarm: Alarm;
  readonly context: RoundContext;
  abort(reason: string): void;
}

/** A round that is decided: its writes are under way, or over. */
interface Committing {
  /** Those whose answers depend on it; the ones that have the most to write come last. */
  readonly tasks: readonly Task[];
  readonly held: LockSet;
  /** It changes what other calls are read or decided by, beside what it holds: nothing is read until it is over. */
  readonly isAlone: boolean;
  readonly isOver: boolean;
  readonly hasChores: boolean;
  /** What went wrong. */
  readonly fault: unknown;
  readonly end: Promise<void>;
}

/** What of a round is to be seen to when it has failed. */
type Failed = Pick<Committing, "tasks" | "hasChores">;

const over: Committing = {
  tasks: [],
  held: new LockSet(),
  isAlone: false,
  isOver: true,
  hasChores: false,
  fault: undefined,
  end: Promise.resolve(),
};

/**
 * The loop of rounds: one after another, each gathering while the one before it is committed. While the database is out
 * of reach no call waits for it: clicks of known links are kept in the object's own storage, everything else is refused,
 * and a probe looks for the database's return.
 */
export class Loop {
  readonly #parts: LoopParts;
  readonly #queue = new Queue<Task>();
  readonly #chores: InternalWrites;
  #isRunning = false;
  /** Resolved when a call has come or a commit is over. */
  #news = Promise.withResolvers<void>();
  #probing: Promise<boolean> | undefined;
  #isDown = false;
  #probedAt = 0;
  /** The last customer whose sales moved: those after it come next. */
  #lastMoved = 0;
  #isTurnOfOthers = false;

  constructor(parts: LoopParts) {
    this.#parts = parts;
    this.#chores = new InternalWrites(parts);
  }

  submit(task: Task): void {
    if (this.#isDown) {
      this.#withoutDatabase(task);
      if (this.#mayProbe()) void this.#probe();
    } else if (!isRejectedByKey(task, this.#parts.context)) {
      const without = this.#queue.add(task, this.#isKnown(task.programId));
      if (without !== undefined) this.#withoutDatabase(without);
      this.#run();
    }
  }

  get queued(): Readonly<Record<Lane, number>> {
    return this.#queue.sizes;
  }

  /** Calls of no program in particular have the turns of one. */
  #isKnown(programId: number): boolean {
    const { context, spill } = this.#parts;
    return programId === 0 || Boolean(context.settings.program(programId) ?? spill.settings.program(programId));
  }

  /** Clicks that were set aside wait again. Returns how many. */
  retrySpilled(): number {
    const retried = this.#parts.spill.retry();
    if (this.#chores.isDue && !this.#isDown) this.#run();
    return retried;
  }

  /**
   * Deletes visitor keys that have expired, has what is spilled settled, what is ripe approved and sales follow their
   * customers, a step of each; returns when to come again, if ever.
   */
  async upkeep(): Promise<number | undefined> {
    const { clock, visitorKeys } = this.#parts;
    // First, since it needs no database.
    const keyExpiresAt = visitorKeys.deleteExpired();
    if (this.#isDown) await this.#probe();
    if (this.#isDown) return clock.now() + upkeepPauseMs;
    this.#chores.begin();
    const due = await this.#due().catch((error: unknown) => this.#lostInUpkeep(error));
    if (due === undefined) return clock.now() + upkeepPauseMs;
    const { ripeAt, moves } = due;
    this.#chores.plan(ripeAt);
    await this.#chores.oneByOne(this.#alone);
    const choresAt = this.#chores.nextAt(ripeAt);
    if (this.#hasWork) this.#run();
    const movedOn = await Promise.all(moves.map((move) => this.#continueMove(move)));
    const movesAt = moves.length > 0 ? clock.now() + (movedOn.includes(true) ? 0 : upkeepPauseMs) : undefined;
    const next = Math.min(choresAt, movesAt ?? Number.POSITIVE_INFINITY, keyExpiresAt ?? Number.POSITIVE_INFINITY);
    return next === Number.POSITIVE_INFINITY ? undefined : Math.max(next, clock.now() + stepPauseMs);
  }

  /** When the hold of a commission ends next, or has ended, and whose sales have yet to follow them. */
  async #due() {
    const maturing = nextHoldEnd({ skip: this.#chores.skipped });
    const moving = nextPendingMoves({ after: this.#lastMoved, limit: maxMoves });
    const [ripe, found] = await this.#parts.writer.read([maturing, moving]);
    const moves = moving.decode(found ?? []);
    this.#lastMoved = moves.at(-1)?.customerId ?? 0;
    return { ripeAt: maturing.decode(ripe ?? [])?.at ?? undefined, moves };
  }

  /** Rounds that are under way find out by themselves. Without any, nobody would claim a restored database. */
  async #lostInUpkeep(error: unknown): Promise<undefined> {
    if (this.#isRunning || !(error instanceof Superseded || error instanceof Outdated)) throw error;
    await this.#recover(error, over);
    if (this.#isDown) await this.#probe();
  }

  /** Waits its turn among the calls, step by step. Returns whether any was done. */
  async #continueMove({ customerId, programId }: { readonly customerId: number; readonly programId: number }) {
    const { continueMove } = await import("./customer-operations.ts");
    for (let steps = 0; steps < maxMoveSteps; steps += 1) {
      const at = this.#parts.clock.now();
      const operationId = `move of customer ${customerId}`;
      const task = taskOf(continueMove, { kind: "continue-move", operationId, at, programId, customerId }, at);
      this.submit(task);
      const outcome = await task.outcome;
      if (!outcome.ok) return steps > 0;
      if (outcome.answer.isOver) break;
    }
    return true;
  }

  readonly #alone: Alone = async (operationId, writesOf) => {
    const at = this.#parts.clock.now();
    const task = taskOf(ownWrites, { kind: "own-writes", operationId, at, writesOf }, at);
    this.submit(task);
    const outcome = await task.outcome;
    if (outcome.ok) return "done";
    const { refusal } = outcome;
    if (refusal.code === "internal") return "refused";
    const isHeavy = refusal.code === "unavailable" && refusal.retryAfterSeconds === retryHeavyAfterSeconds;
    return isHeavy ? "unanswered" : "untried";
  };

  #run(): void {
    this.#news.resolve();
    if (!this.#isRunning) void this.#rounds();
  }

  async #rounds(): Promise<void> {
    this.#isRunning = true;
    try {
      let last = over;
      while (!this.#isDown && (!last.isOver || this.#hasWork)) last = await this.#round(last);
    } finally {
      // At once with the last look for work: a call that comes after it starts the next rounds.
      this.#isRunning = false;
    }
  }

  get #hasWork(): boolean {
    return this.#chores.isDue || this.#queue.size > 0;
  }

  /** Gathers while the last round is committed, decides when it is, and returns with its own commit under way. */
  async #round(last: Committing): Promise<Committing> {
    const { writer, context } = this.#parts;
    const tasks: Task[] = [];
    const found = new Map<Task, Gathered>();
    const gatherMore = async (taken: readonly Task[]) => {
      tasks.push(...taken);
      for (const [task, reads] of await gather(taken, writer, context)) found.set(task, reads);
    };
    const beside = this.#queue.intake(last.held);
    try {
      while (!last.isOver) {
        const taken = last.isAlone ? [] : this.#take(beside);
        await (taken.length > 0 ? gatherMore(taken) : this.#somethingNew());
      }
      if (last.fault === undefined) {
        if (tasks.length === 0 && !this.#hasWork) return over;
        if (!writer.isClaimed) await this.#claim();
        if (tasks.length > 0) return this.#commit(tasks, decide(found, last.held, context, beside.passed));
        const intake = this.#queue.intake();
        await gatherMore(this.#take(intake));
        return this.#commit(tasks, decide(found, new LockSet(), context, intake.passed));
      }
    } catch (error) {
      await last.end;
      if (last.fault === undefined) {
        await this.#recover(error, { tasks, hasChores: false });
        return over;
      }
    }
    // It is the last round that failed: those who have read beside it wait again, and fare as the others who wait.
    this.#queue.putBack(tasks.filter(({ isSettled }) => !isSettled));
    await this.#recover(last.fault, last);
    return over;
  }

  /** Those whose turn it is; those who have waited too long have none. */
  #take(intake: Intake): readonly Task[] {
    this.#refuseOld();
    return this.#queue.take(intake);
  }

  /** A call has come, or a commit is over. */
  async #somethingNew(): Promise<void> {
    await this.#news.promise;
    this.#news = Promise.withResolvers();
  }

  #commit(tasks: readonly Task[], { next, ...decisions }: Decisions): Committing {
    const { decided, held } = decisions;
    const chores = this.#chores.take(decided.some(({ commit }) => commit.writes.length > 0));
    this.#queue.putBack(next);
    const committing = {
      tasks: decided.toSorted((a, b) => a.commit.writes.length - b.commit.writes.length).map(({ task }) => task),
      held,
      isAlone:
        tasks.some(({ isExclusive }) => isExclusive) || decided.some((each) => each.commit.changes !== undefined),
      isOver: false,
      hasChores: chores.length > 0,
      fault: undefined as unknown,
      end: this.#write(decisions, chores)
        .catch((error: unknown) => {
          committing.fault = error;
        })
        .finally(() => {
          committing.isOver = true;
          this.#news.resolve();
        }),
    };
    return committing;
  }

  async #write({ decided, holdUntil }: Omit<Decisions, "next">, chores: readonly InternalWrite[]): Promise<void> {
    const { writer, context, alarm } = this.#parts;
    try {
      await commit(decided, chores, writer, context);
      if (chores.length > 0) this.#chores.passed();
    } finally {
      // Also where no answer came: what was done all the same has begun a hold.
      if (holdUntil !== undefined) await alarm.arm(holdUntil);
    }
  }

  async #recover(error: unknown, round: Failed): Promise<void> {
    if (error instanceof Superseded) this.#giveUp(error, round.tasks);
    else if (await this.#isAway(error)) this.#goDown(error, round.tasks);
    else await this.#oneByOne(error, round);
  }

  /** A database that answers a probe promptly is not away: what it did not answer was too much for it. */
  async #isAway(error: unknown): Promise<boolean> {
    if (!(error instanceof Unreachable)) return false;
    if (error instanceof Unable) return true;
    const { clock } = this.#parts;
    return !(await Promise.race([this.#probe(), clock.sleep(promptMs).then(() => false)]));
  }

  /** What nobody expected does not say whose fault it was; alone, each call answers for itself. */
  async #oneByOne(error: unknown, { tasks, hasChores }: Failed): Promise<void> {
    let left = tasks.filter(({ isSettled }) => !isSettled);
    if (hasChores) this.#chores.putOff(error);
    // A database that answers has been claimed by the probe.
    else if (left.length === 0 && !(error instanceof Unreachable)) this.#goDown(error, []);
    // Where all others pass, it is the last, which has the most to write.
    let isLast = !hasChores && (error instanceof Unreachable || left.length === 1);
    while (left.length > 0 && !this.#isDown) {
      const [first, ...behind] = left;
      if (first === undefined) return;
      if (behind.length === 0 && isLast && !this.#mayTryAgain(error, first)) this.#refuseAlone(error, first);
      else if (!(await this.#passesAlone(first, behind))) {
        isLast = false;
        // It may have taken long.
        await this.#turnOfOthers();
        this.#refuseOld(behind);
      }
      left = behind.filter(({ isSettled }) => !isSettled);
    }
    for (const behind of left) this.#withoutDatabase(behind);
  }

  /** A round between two calls that are tried one by one. One that fails itself is not interrupted again. */
  async #turnOfOthers(): Promise<void> {
    if (this.#isTurnOfOthers || this.#isDown || this.#queue.size === 0) return;
    this.#isTurnOfOthers = true;
    try {
      const turn = await this.#round(over);
      await turn.end;
      if (turn.fault !== undefined) await this.#recover(turn.fault, turn);
    } finally {
      this.#isTurnOfOthers = false;
    }
  }

  /** Of those who wait, and of others. */
  #refuseOld(others: readonly Task[] = []): void {
    const isOld = (task: Task) => this.#isTooOld(task);
    const left = others.filter((task) => !task.isSettled && isOld(task));
    for (const task of [...this.#queue.removeOld(isOld), ...left]) this.#withoutDatabase(task);
  }

  /** A database that was out of reach for a moment; not where the call has waited so long that its caller leaves. */
  #mayTryAgain(error: unknown, { arrivedAt }: Task): boolean {
    return error instanceof Unreachable && this.#parts.clock.now() - arrivedAt < maxWaitMs / 2;
  }

  async #passesAlone(task: Task, behind: readonly Task[]): Promise<boolean> {
    const { writer, context } = this.#parts;
    try {
      if (!writer.isClaimed) await this.#claim();
      const { next, ...decisions } = decide(await gather([task], writer, context), new LockSet(), context);
      this.#queue.putBack(next);
      await this.#write(decisions, []);
      return true;
    } catch (error) {
      if (error instanceof Superseded) this.#giveUp(error, [task, ...behind]);
      else if (await this.#isAway(error)) this.#goDown(error, [task]);
      else this.#refuseAlone(error, task);
      return false;
    }
  }

  #refuseAlone(error: unknown, task: Task): void {
    this.#parts.context.report("ledger.round_failed", error, task.call.operationId);
    // Whether it was done is not known.
    if (error instanceof Unreachable) this.#withoutDatabase(task, retryHeavyAfterSeconds);
    else task.refuse({ code: "internal" });
  }

  async #claim(patience?: number): Promise<void> {
    const { writer, spill, context } = this.#parts;
    const { epoch, isContinued } = await writer.claim(spill.place, patience);
    // Otherwise settings may have changed, or may never have been, also those that outlive this instance.
    if (isContinued) context.settings.forgetDoubted();
    else context.settings.clear();
    try {
      spill.beginEpoch(epoch);
    } catch (error) {
      context.report("ledger.epoch_not_kept", error);
    }
  }

  #goDown(error: unknown, tasks: readonly Task[]): void {
    this.#isDown = true;
    this.#probedAt = this.#parts.clock.now();
    this.#parts.context.report("ledger.database_lost", error);
    for (const task of [...tasks, ...this.#queue.removeAll()]) if (!task.isSettled) this.#withoutDatabase(task);
    void this.#parts.alarm.arm(this.#parts.clock.now() + upkeepPauseMs);
  }

  #giveUp(error: Superseded, tasks: readonly Task[]): void {
    for (const task of [...tasks, ...this.#queue.removeAll()]) task.fail(error);
    this.#parts.abort(error.message);
  }

  /** A clock that was set back must not put it off. */
  #mayProbe(): boolean {
    return Math.abs(this.#parts.clock.now() - this.#probedAt) >= probePauseMs;
  }

  /** Whether the database is in reach. */
  #probe(): Promise<boolean> {
    this.#probing ??= this.#claim(0)
      .then(() => {
        this.#isDown = false;
        this.#run();
        return true;
      })
      .catch((error: unknown) => {
        if (!(error instanceof Unreachable)) this.#parts.context.report("ledger.probe_failed", error);
        return false;
      })
      .finally(() => {
        this.#probedAt = this.#parts.clock.now();
        this.#probing = undefined;
      });
    return this.#probing;
  }

  #isTooOld({ arrivedAt }: Task): boolean {
    return this.#parts.clock.now() - arrivedAt > maxWaitMs;
  }

  /** Keeps what may be kept in the object's own storage. All else is refused: its caller sends it again. */
  #withoutDatabase(task: Task, retryAfter = retryAfterSeconds): void {
    const answer = mayBeKept(task.call) ? this.#keepIfPossible(task.call) : undefined;
    if (answer === undefined) unavailable(task, retryAfter);
    else task.answer(answer, "programId" in answer ? { programId: answer.programId } : {});
  }

  /** That storage may be full. The call is then refused, and those behind it have their turn. */
  #keepIfPossible(call: ClickCall): ClickAnswer | undefined {
    try {
      return this.#keep(call);
    } catch (error) {
      this.#parts.context.report("ledger.click_not_kept", error, call.operationId);
      return undefined;
    }
  }

  #keep(call: ClickCall): ClickAnswer | undefined {
    const { spill, context } = this.#parts;
    const { settings } = context;
    const known: Settings = {
      program: (id) => settings.program(id) ?? spill.settings.program(id),
      link: (id) => settings.link(id) ?? spill.settings.link(id),
      linkByCode: (code, programId) =>
        settings.linkByCode(code, programId) ?? spill.settings.linkByCode(code, programId),
      codeOwners: (code) => settings.codeOwners(code),
    };
    const click = acceptClick(call, { ...context, settings: known });
    if (click.kind === "commit") return click.answer;
    if (click.kind !== "accept") return undefined;
    const clickId = spill.keep(click.row);
    return clickId === undefined ? undefined : clickAnswer(click, clickId, 0);
  }
}

/** Outside a round no key is checked, and it is not known which programs share a code. */
function mayBeKept(call: Task["call"]): call is ClickCall {
  if (call.kind !== "click" || call.key !== undefined) return false;
  const { isTest, programId } = call as ClickCall;
  return !isTest && programId !== undefined;
}

const unavailable = (task: Task, after = retryAfterSeconds): void =>
  task.refuse({ code: "unavailable", retryAfterSeconds: after });
