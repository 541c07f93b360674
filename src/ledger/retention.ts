import { earliest, hourMs } from "#domain/calendar.ts";
import type { ProgramId } from "#domain/ids.ts";
import { restAfter } from "#domain/rest.ts";
import type { Task } from "#engine/task.ts";
import type { Clock } from "#engine/writer.ts";
import { type Database, readOne } from "#store/database.ts";
import { nextRetention } from "#store/retention.ts";
import type { Write } from "#store/statement.ts";
import { accountStep, programStep, type Step } from "./retention-steps.ts";

const maxProgramsPerRun = 10;
/** The most steps in one run for accounts, and the same number for programs. Other duties wait during a run. */
export const maxStepsPerRun = 20;
const maxMsPerRun = 1_000;
const pauseMs = 60_000;

export interface RetentionParts {
  readonly clock: Pick<Clock, "now" | "sleep">;
  readonly database: Pick<Database, "read">;
  /** The number of days after which clicks are deleted, except those of customers and leads. */
  readonly clickDays: number;
  isolated(id: string, writesOf: () => readonly Write[]): Task;
}

type Submit = (task: Task) => void;

/**
 * Result of a step. `begun`: more work is due. `over`: no work is due. `away`: the database is unavailable. `refused`:
 * the database refuses this step, but may accept others.
 */
type State = "begun" | "over" | "refused" | "away";

/**
 * Removes old data in small steps, each in a round of its own. The position for each program is stored in the database,
 * so the work continues after a restart.
 */
export class Retention {
  readonly #parts: RetentionParts;
  /** Programs whose step the database refuses. They are retried after an hour. */
  readonly #refused = new Set<ProgramId>();
  #retryAt = 0;
  #accountsAt = 0;

  constructor(parts: RetentionParts) {
    this.#parts = parts;
  }

  /** Does a limited amount of the due work. Returns when to continue (ms). */
  async run(submit: Submit): Promise<number | undefined> {
    const { clock, database } = this.#parts;
    const now = clock.now();
    const accounts = now < this.#accountsAt ? "over" : await this.#doAccounts(submit);
    if (now >= this.#retryAt) this.#refused.clear();
    const skip = JSON.stringify([...this.#refused]);
    const next = await readOne(database, nextRetention({ skip, limit: maxProgramsPerRun }));
    const due = next.filter(({ dueAt }) => dueAt <= now);
    const state = await this.#doPrograms(due, submit);
    if (state === "away" || accounts === "away") return now + pauseMs;
    if (state === "begun" || accounts === "begun" || due.length === maxProgramsPerRun) return now;
    return earliest(next[due.length]?.dueAt, this.#refused.size > 0 ? this.#retryAt : undefined);
  }

  async #doAccounts(submit: Submit): Promise<State> {
    const { clock, database } = this.#parts;
    const at = clock.now();
    const state = await this.#repeat(() => this.#doGently(() => accountStep(database, at), submit));
    if (state === "over" || state === "refused") this.#accountsAt = at + hourMs;
    return state;
  }

  #doPrograms(programs: readonly { readonly programId: ProgramId }[], submit: Submit): Promise<State> {
    const { clock, database, clickDays } = this.#parts;
    const at = clock.now();
    const waiting = programs.map(({ programId }) => programId);
    return this.#repeat(async () => {
      const [programId] = waiting;
      if (programId === undefined) return "over";
      const state = await this.#doGently(() => programStep(database, { programId, clickDays, at }), submit);
      if (state === "away") return state;
      if (state === "refused") this.#skip(programId);
      if (state !== "begun") waiting.shift();
      return waiting.length > 0 ? "begun" : "over";
    });
  }

  /** Repeats a step until nothing is left, or the limits of a run are reached. */
  async #repeat(step: () => Promise<State>): Promise<State> {
    const { clock } = this.#parts;
    const at = clock.now();
    let state: State = "begun";
    for (let left = maxStepsPerRun; state === "begun" && left > 0 && clock.now() - at < maxMsPerRun; left -= 1) {
      state = await step();
    }
    return state;
  }

  /** Pauses after the step, so that calls can use the database. */
  async #doGently(find: () => Promise<Step>, submit: Submit): Promise<State> {
    const { clock } = this.#parts;
    const startedAt = clock.now();
    const state = await this.#do(await find(), submit);
    await clock.sleep(restAfter(clock.now() - startedAt));
    return state;
  }

  async #do({ name, writes, isOver }: Step, submit: Submit): Promise<State> {
    if (writes.length > 0) {
      const task = this.#parts.isolated(name, () => writes);
      submit(task);
      const outcome = await task.outcome;
      if (!outcome.ok) return outcome.refusal.code === "internal" ? "refused" : "away";
    }
    return isOver ? "over" : "begun";
  }

  #skip(programId: ProgramId): void {
    if (this.#refused.size === 0) this.#retryAt = this.#parts.clock.now() + hourMs;
    this.#refused.add(programId);
  }
}
