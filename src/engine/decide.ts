import { earliest } from "./duties.ts";
import { LockSet, type Locks } from "./lock-set.ts";
import type { Reporter } from "./parts.ts";
import type { Decided, Decisions, Results } from "./round.ts";
import type { Gathered, Missing, Task } from "./task.ts";

/**
 * The number of statements at which a commit is full, so that further calls wait for the next round. The call that
 * fills the commit may exceed the limit.
 */
const maxStatements = 1_000;
const maxAttempts = 12;

/**
 * Locks of calls that come before the calls of this round. `committing`: calls of the commit that is in progress during
 * the round's reads, which may not see its writes. `skipped`: calls that are left in the queue.
 */
export interface LocksAhead {
  readonly committing?: LockSet;
  readonly skipped?: LockSet;
}

/**
 * Decides the calls in order. A call is deferred to the next round if it conflicts with an earlier change in this
 * round, with the locks in `ahead`, or with another deferred call. Calls with the same lock therefore stay in order. A
 * call is also deferred if it needs further reads, or if the commit is full.
 */
export function decide(results: Results, ahead: LocksAhead, reporter: Pick<Reporter, "report">): Decisions {
  const round = new DecidingRound(ahead, reporter);
  for (const [task, found] of results) round.decide(task, found);
  return round.decisions;
}

class DecidingRound {
  readonly #ahead: LocksAhead;
  readonly #reporter: Pick<Reporter, "report">;
  readonly #held = new LockSet();
  readonly #awaited = new LockSet();
  readonly #chains = new Map<string, Decided>();
  readonly #missingOf = new Map<string, Missing>();
  readonly #decided: Decided[] = [];
  readonly #deferred: Task[] = [];
  #statements = 0;

  constructor(ahead: LocksAhead, reporter: Pick<Reporter, "report">) {
    this.#ahead = ahead;
    this.#reporter = reporter;
  }

  get decisions(): Decisions {
    return {
      decided: this.#decided,
      deferred: this.#deferred,
      locks: this.#held,
      ringAt: earliest(this.#decided.map(({ commit }) => commit.ringAt)),
    };
  }

  decide(task: Task, found: Gathered): void {
    const previous = task.chain === undefined ? undefined : this.#chains.get(task.chain);
    const values = { ...found, ...previous?.commit.then };
    const locks = task.locks(values);
    const mustWait = this.#statements >= maxStatements || this.#isBlocked(task, locks, previous);
    const outcome = mustWait ? "defer" : decideOne(task, values, previous, this.#reporter);
    if (outcome === "defer") this.#defer(task, locks);
    else if (outcome !== "answered") this.#accept(outcome, locks);
  }

  #isBlocked({ deferredLocks, chain }: Task, locks: Locks, previous: Decided | undefined): boolean {
    const { committing, skipped } = this.#ahead;
    // A call that was deferred before comes before the calls left in the queue. A new call comes after them.
    const ahead = deferredLocks === undefined ? [committing, this.#awaited, skipped] : [committing, this.#awaited];
    return ahead.some((each) => each?.conflictsWith(locks)) || this.#held.conflictsWith(locks, previous && chain);
  }

  #defer(task: Task, locks: Locks): void {
    const { chain, missing } = task;
    const ofChain = chain === undefined ? undefined : this.#missingOf.get(chain);
    if (ofChain !== undefined && missing === undefined) task.readAlso(ofChain);
    else if (chain !== undefined && missing !== undefined) this.#missingOf.set(chain, missing);
    task.defer(locks);
    this.#awaited.add(locks);
    this.#deferred.push(task);
  }

  #accept(decided: Decided, locks: Locks): void {
    const { writes, then } = decided.commit;
    const { chain } = decided.task;
    this.#decided.push(decided);
    this.#statements += writes.length;
    if (writes.length === 0) return;
    this.#held.add(locks, chain);
    if (chain === undefined) return;
    if (then === undefined) this.#chains.delete(chain);
    else this.#chains.set(chain, decided);
  }
}

function decideOne(
  task: Task,
  values: Gathered,
  previous: Decided | undefined,
  { report }: Pick<Reporter, "report">,
): Decided | "defer" | "answered" {
  try {
    const decision = task.decide(values);
    if (decision.kind === "retry") {
      if (task.attempts >= maxAttempts) throw new Error(`the call still needs reads after ${maxAttempts} attempts`);
      task.retryWith(decision.missing);
      return "defer";
    }
    // If the previous call of its chain is in this round, a call that writes nothing waits for the next round.
    // Otherwise it would be answered immediately, although the previous call may still fail.
    if (previous !== undefined && (decision.kind === "refuse" || decision.writes.length === 0)) return "defer";
    if (decision.kind === "commit") return { task, commit: decision, previous };
    task.refuse(decision.refusal);
  } catch (error) {
    report("ledger.decision_failed", error, task.id);
    task.refuse({ code: "internal" });
  }
  return "answered";
}
