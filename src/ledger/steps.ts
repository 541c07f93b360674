import type { ProgramId } from "#domain/ids.ts";
import type { Duty, DutyParts, Look } from "#engine/duty.ts";
import type { Task } from "#engine/task.ts";
import type { Outcome } from "#operations/operation.ts";
import type { Read } from "#store/statement.ts";

const maxPerRun = 10;
const maxStepsEach = 20;
const pauseMs = 5_000;

/** Work of many steps. Its remaining part is in the database, so it continues after a restart. */
interface StepwiseWork<Left> {
  readonly name: string;
  /** The ones after the last processed come first. */
  next(last: Left | undefined, limit: number): Read<readonly Left[]>;
  step(left: Left, at: number): Promise<Task & { readonly outcome: Promise<Outcome<{ readonly isOver: boolean }>> }>;
}

export class Steps<Left extends { readonly programId: ProgramId }> implements Duty {
  readonly name: string;
  readonly #work: StepwiseWork<Left>;
  readonly #clock: DutyParts["clock"];
  #left: readonly Left[] = [];
  #last: Left | undefined;

  constructor(work: StepwiseWork<Left>, clock: DutyParts["clock"]) {
    this.name = work.name;
    this.#work = work;
    this.#clock = clock;
  }

  look(): Look {
    const read = this.#work.next(this.#last, maxPerRun);
    return {
      read,
      found: (rows) => {
        this.#left = read.decode(rows);
        this.#last = this.#left.at(-1);
      },
    };
  }

  async run(submit: (task: Task) => void): Promise<number | undefined> {
    const haveGoneOn = await Promise.all(this.#left.map((left) => this.#continue(left, submit)));
    if (haveGoneOn.length === 0) return undefined;
    return this.#clock.now() + (haveGoneOn.includes(true) ? 0 : pauseMs);
  }

  /**
   * Each step is a call that waits its turn, so that other calls run in between. Returns false if none could be taken.
   */
  async #continue(left: Left, submit: (task: Task) => void): Promise<boolean> {
    for (let steps = 0; steps < maxStepsEach; steps += 1) {
      const task = await this.#work.step(left, this.#clock.now());
      submit(task);
      const outcome = await task.outcome;
      if (!outcome.ok) return steps > 0;
      if (outcome.answer.isOver) return true;
    }
    return true;
  }
}
