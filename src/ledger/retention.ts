import { earliest, hourMs } from "#domain/calendar.ts";
import type { ProgramId } from "#domain/ids.ts";
import type { Duty, DutyParts, Look } from "#engine/duty.ts";
import type { Task } from "#engine/task.ts";
import type { Writer } from "#engine/writer.ts";
import { nextRetention } from "#store/retention.ts";
import type { Write } from "#store/statement.ts";
import type { programStep, Step } from "./retention-steps.ts";

const maxProgramsPerLook = 10;
const maxStepsPerRun = 5;
const pauseMs = 60_000;

export interface RetentionParts extends Pick<DutyParts, "clock"> {
  readonly database: Pick<Writer, "read">;
  /** Of clicks that nobody's attribution is about. */
  readonly clickDays: number;
  isolated(id: string, writesOf: () => readonly Write[]): Task;
}

/**
 * Removes what is over, in bounded steps that have rounds of their own. How far each program has come is in the database, and
 * continues after a restart.
 */
export class Retention implements Duty {
  readonly name = "retention";
  readonly #parts: RetentionParts;
  #due: readonly ProgramId[] = [];
  #nextAt: number | undefined;
  /** Programs of which the database refuses a step. They are tried again every hour. */
  readonly #refused = new Set<ProgramId>();
  #retryAt = 0;
  #accountsAt = 0;

  constructor(parts: RetentionParts) {
    this.#parts = parts;
  }

  look(): Look {
    const now = this.#parts.clock.now();
    if (now >= this.#retryAt) this.#refused.clear();
    const read = nextRetention({ skip: JSON.stringify([...this.#refused]), limit: maxProgramsPerLook });
    return {
      read,
      found: (rows) => {
        const found = read.decode(rows);
        this.#due = found.filter(({ dueAt }) => dueAt <= now).map(({ programId }) => programId);
        this.#nextAt = found.find(({ dueAt }) => dueAt > now)?.dueAt;
      },
    };
  }

  async run(submit: (task: Task) => void): Promise<number | undefined> {
    const now = this.#parts.clock.now();
    const isOfAccounts = now >= this.#accountsAt;
    if (this.#due.length === 0 && !isOfAccounts) return this.#restUntil;
    const steps = await import("./retention-steps.ts");
    const { database } = this.#parts;
    if (isOfAccounts && (await this.#do(await steps.accountStep(database, now), submit)) === "over") {
      this.#accountsAt = now + hourMs;
    }
    return this.#runPrograms(steps.programStep, submit);
  }

  async #runPrograms(stepOf: typeof programStep, submit: (task: Task) => void): Promise<number | undefined> {
    const { clock, database, clickDays } = this.#parts;
    const at = clock.now();
    const waiting = [...this.#due];
    for (let left = maxStepsPerRun; left > 0; left -= 1) {
      const [programId] = waiting;
      if (programId === undefined) return this.#due.length === maxProgramsPerLook ? at : this.#restUntil;
      const state = await this.#do(await stepOf(database, { programId, clickDays, at }), submit);
      if (state === "away") return at + pauseMs;
      if (state === "refused") this.#skip(programId);
      if (state !== "begun") waiting.shift();
    }
    return at;
  }

  get #restUntil(): number | undefined {
    return earliest(this.#nextAt, this.#refused.size > 0 ? this.#retryAt : undefined);
  }

  async #do({ name, writes, isOver }: Step, submit: (task: Task) => void): Promise<State> {
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

/** `away`: the database is. `refused`: it refuses this one step. */
type State = "begun" | "over" | "refused" | "away";
