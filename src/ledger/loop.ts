import type { Settings } from "../operations/operation.ts";
import {
  acceptClick,
  type ClickAnswer,
  type ClickCall,
  clickAnswer,
  writesOfClick,
} from "../operations/record-click.ts";
import { oldestPendingMoves } from "../store/customers.ts";
import { matureCommissions, nextMaturing } from "../store/sales.ts";
import type { Write } from "../store/statement.ts";
import type { Alarm } from "./alarm.ts";
import { type Clock, Outdated, Superseded, Unable, Unreachable, type Writer } from "./fence.ts";
import { Held } from "./held.ts";
import { type Intake, type Lane, Queue } from "./queue.ts";
import {
  type Chore,
  commit,
  type Decisions,
  decide,
  type FoundBy,
  gather,
  isTurnedAway,
  type RoundContext,
  retryAfterSeconds,
  runRound,
} from "./round.ts";
import type { Spill, Spilled } from "./spill.ts";
import { type Task, taskOf } from "./task.ts";
import type { VisitorKeys } from "./visitor-keys.ts";

const maxSpilledOfRound = 100;
const maxMaturedAtOnce = 500;
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
  readonly writer: Writer;
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
  readonly held: Held;
  /** It changes what other calls are read or decided by, beside what it holds: nothing is read until it is over. */
  readonly isAlone: boolean;
  readonly isOver: boolean;
  /** What went wrong. */
  readonly fault: unknown;
  readonly end: Promise<void>;
}

const over: Committing = {
  tasks: [],
  held: new Held(),
  isAlone: false,
  isOver: true,
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
  #chores: Chore[] = [];
  #isRunning = false;
  /** Resolved when a call has come or a commit is over. */
  #news = Promise.withResolvers<void>();
  #probing: Promise<boolean> | undefined;
  #isDown = false;
  #hasSpilled: boolean;
  /** The use of keys is to be written even if nothing else is. */
  #isKeyUseDue = false;
  #probedAt = 0;

  constructor(parts: LoopParts) {
    this.#parts = parts;
    this.#hasSpilled = !parts.spill.isEmpty;
  }

  submit(task: Task): void {
    if (this.#isDown) {
      this.#withoutDatabase(task);
      if (this.#mayProbe()) void this.#probe();
    } else if (!isTurnedAway(task, this.#parts.context)) {
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
    this.#hasSpilled = !this.#parts.spill.isEmpty;
    if (this.#hasSpilled && !this.#isDown) this.#run();
    return retried;
  }

  /**
   * Deletes visitor keys that have expired, has what is spilled settled, what is ripe approved and sales follow their
   * customers, a step of each; returns when to come again, if ever.
   */
  async upkeep(): Promise<number | undefined> {
    const { clock, visitorKeys, context, spill } = this.#parts;
    // First, since it needs no database.
    const keyExpiresAt = visitorKeys.deleteExpired();
    if (this.#isDown) await this.#probe();
    if (this.#isDown) return clock.now() + upkeepPauseMs;
    this.#isKeyUseDue = context.keyUse.isPending;
    this.#hasSpilled = !spill.isEmpty;
    const due = await this.#due().catch((error: unknown) => this.#lostInUpkeep(error));
    if (due === undefined) return clock.now() + upkeepPauseMs;
    const { ripeAt, moves } = due;
    if (ripeAt !== undefined && ripeAt <= clock.now() && this.#chores.length === 0) {
      this.#chores.push(this.#maturing(clock.now()));
    }
    if (this.#hasWork) this.#run();
    await Promise.all(moves.map((move) => this.#continueMove(move)));
    const dueAt = this.#hasSpilled || moves.length > 0 ? clock.now() : ripeAt;
    const next = Math.min(dueAt ?? Number.POSITIVE_INFINITY, keyExpiresAt ?? Number.POSITIVE_INFINITY);
    return next === Number.POSITIVE_INFINITY ? undefined : Math.max(next, clock.now() + stepPauseMs);
  }

  /** When the hold of a commission ends next, or has ended, and whose sales have yet to follow them. */
  async #due() {
    const maturing = nextMaturing({});
    const moving = oldestPendingMoves({ limit: maxMoves });
    const [ripe, moves] = await this.#parts.writer.read([maturing, moving]);
    return { ripeAt: maturing.decode(ripe ?? [])?.at ?? undefined, moves: moving.decode(moves ?? []) };
  }

  /** Rounds that are under way find out by themselves. Without any, nobody would claim a restored database. */
  async #lostInUpkeep(error: unknown): Promise<undefined> {
    if (this.#isRunning || !(error instanceof Superseded || error instanceof Outdated)) throw error;
    await this.#recover(error, []);
    if (this.#isDown) await this.#probe();
  }

  /** Waits its turn among the calls, step by step. */
  async #continueMove({ customerId, programId }: { readonly customerId: number; readonly programId: number }) {
    const { continueMove } = await import("./customer-operations.ts");
    for (let steps = 0; steps < maxMoveSteps; steps += 1) {
      const at = this.#parts.clock.now();
      const operationId = `move of customer ${customerId}`;
      const task = taskOf(continueMove, { kind: "continue-move", operationId, at, programId, customerId }, at);
      this.submit(task);
      const outcome = await task.outcome;
      if (!outcome.ok || outcome.answer.isOver) return;
    }
  }

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
    return this.#hasSpilled || this.#isKeyUseDue || this.#queue.size + this.#chores.length > 0;
  }

  /** Gathers while the last round is committed, decides when it is, and returns with its own commit under way. */
  async #round(last: Committing): Promise<Committing> {
    const { writer, context } = this.#parts;
    const tasks: Task[] = [];
    let found: FoundBy = new Map();
    const gatherMore = async (taken: readonly Task[]) => {
      tasks.push(...taken);
      found = new Map([...found, ...(await gather(taken, writer, context))]);
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
        return this.#commit(tasks, decide(found, new Held(), context, intake.passed));
      }
    } catch (error) {
      await last.end;
      if (last.fault === undefined) {
        await this.#recover(error, tasks);
        return over;
      }
    }
    // It is the last round that failed: those who have read beside it wait again, and fare as the others who wait.
    this.#queue.putBack(tasks.filter(({ isSettled }) => !isSettled));
    await this.#recover(last.fault, last.tasks);
    return over;
  }

  /** Those whose turn it is; those who have waited too long have none. */
  #take(intake: Intake): readonly Task[] {
    for (const task of this.#queue.removeOld((each) => this.#isTooOld(each))) this.#withoutDatabase(task);
    return this.#queue.take(intake);
  }

  /** A call has come, or a commit is over. */
  async #somethingNew(): Promise<void> {
    await this.#news.promise;
    this.#news = Promise.withResolvers();
  }

  #commit(tasks: readonly Task[], { decided, next, held, holdUntil }: Decisions): Committing {
    const { writer, context, alarm, clock } = this.#parts;
    const chores = [...(this.#hasSpilled ? [this.#settling()] : []), ...this.#chores.splice(0)];
    this.#queue.putBack(next);
    const writes = chores.length > 0 || decided.some((each) => each.commit.writes.length > 0);
    if (context.keyUse.isPending) {
      // A call that only reads, such as one for readiness, is not followed by a write of its own.
      if (writes || this.#isKeyUseDue) chores.push(context.keyUse.chore());
      else void alarm.arm(clock.now() + upkeepPauseMs);
    }
    this.#isKeyUseDue = false;
    const committing = {
      tasks: decided.toSorted((a, b) => a.commit.writes.length - b.commit.writes.length).map(({ task }) => task),
      held,
      isAlone:
        tasks.some(({ isExclusive }) => isExclusive) || decided.some((each) => each.commit.changes !== undefined),
      isOver: false,
      fault: undefined as unknown,
      end: commit(decided, chores, writer, context)
        .then(() => (holdUntil === undefined ? undefined : alarm.arm(holdUntil)))
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

  async #recover(error: unknown, tasks: readonly Task[]): Promise<void> {
    if (error instanceof Superseded) this.#giveUp(error, tasks);
    else if (await this.#isAway(error)) this.#goDown(error, tasks);
    else await this.#oneByOne(error, tasks);
  }

  /** A database that answers a probe promptly is not away: what it did not answer was too much for it. */
  async #isAway(error: unknown): Promise<boolean> {
    if (!(error instanceof Unreachable)) return false;
    if (error instanceof Unable) return true;
    const { clock } = this.#parts;
    return !(await Promise.race([this.#probe(), clock.sleep(promptMs).then(() => false)]));
  }

  /** What nobody expected does not say whose fault it was; alone, each call answers for itself. */
  async #oneByOne(error: unknown, tasks: readonly Task[]): Promise<void> {
    let left = tasks.filter(({ isSettled }) => !isSettled);
    if (left.length === 0) this.#goDown(error, []);
    // Where all others pass, it is the last, which has the most to write.
    let isLast = error instanceof Unreachable || left.length === 1;
    while (left.length > 0 && !this.#isDown) {
      const [first, ...behind] = left;
      if (first === undefined) return;
      if (behind.length === 0 && isLast && !this.#mayTryAgain(error, first)) this.#refuseAlone(error, first);
      else if (!(await this.#passesAlone(first, behind))) isLast = false;
      left = behind.filter(({ isSettled }) => !isSettled);
    }
    for (const behind of left) this.#withoutDatabase(behind);
  }

  /** A database that was out of reach for a moment; not where the call has waited so long that its caller leaves. */
  #mayTryAgain(error: unknown, { arrivedAt }: Task): boolean {
    return error instanceof Unreachable && this.#parts.clock.now() - arrivedAt < maxWaitMs / 2;
  }

  async #passesAlone(task: Task, behind: readonly Task[]): Promise<boolean> {
    const { writer, context, alarm } = this.#parts;
    try {
      if (!writer.isClaimed) await this.#claim();
      const { next, holdUntil } = await runRound([task], writer, context);
      this.#queue.putBack(next);
      if (holdUntil !== undefined) await alarm.arm(holdUntil);
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
    spill.beginEpoch(epoch);
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
    if (clickId === undefined) return undefined;
    this.#hasSpilled = true;
    return clickAnswer(click, clickId, 0);
  }

  #settling(): Chore {
    const { spill } = this.#parts;
    const settled = spill.oldest(maxSpilledOfRound).flatMap((spilled) => {
      const writes = this.#writesOf(spilled);
      return writes === undefined ? [] : [{ ...spilled, writes }];
    });
    return {
      writes: settled.flatMap(({ writes }) => writes),
      done: () => this.#release(settled),
      refused: (index) => {
        const lists = settled.map(({ writes }) => writes);
        const owner = settled[ownerOf(lists, index)];
        if (owner !== undefined) this.#setAside(owner, new Error("the database refuses a click"));
      },
    };
  }

  /** Undefined, and the click is out of the way, where it is none that the present release can write. */
  #writesOf(spilled: Spilled): readonly Write[] | undefined {
    try {
      return writesOfClick({ ...spilled.click, id: this.#parts.context.newId("clicks") });
    } catch (error) {
      this.#setAside(spilled, error);
      return undefined;
    }
  }

  /** Clicks that stay, since that storage fails, are settled again later, which changes nothing. */
  #release(settled: readonly Spilled[]): void {
    const { spill, context, alarm, clock } = this.#parts;
    try {
      spill.release(settled.map(({ seq }) => seq));
      // Others may have been kept while these were on their way.
      this.#hasSpilled = !spill.isEmpty;
    } catch (error) {
      context.report("ledger.spilled_clicks_not_released", error);
      this.#hasSpilled = false;
      void alarm.arm(clock.now() + upkeepPauseMs);
    }
  }

  #setAside({ seq, click }: Spilled, error: unknown): void {
    this.#parts.spill.setAside(seq);
    this.#parts.context.report("ledger.spilled_click_refused", error, click.clickId);
  }

  #maturing(at: number): Chore {
    return {
      writes: [matureCommissions({ at, limit: maxMaturedAtOnce })],
      done: () => {},
      refused: () => this.#parts.context.report("ledger.maturing_refused", new Error("the database refuses to mature")),
    };
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

/** Which of several lists the item at an index of all of them is in. */
function ownerOf(lists: readonly (readonly unknown[])[], index: number): number {
  let left = index;
  return lists.findIndex((list) => {
    left -= list.length;
    return left < 0;
  });
}
