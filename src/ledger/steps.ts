import type { ProgramId } from "#domain/ids.ts";
import type { Duty, DutyParts, Look } from "#engine/duty.ts";
import type { Task } from "#engine/task.ts";
import type { Outcome } from "#operations/operation.ts";
import type { Read } from "#store/statement.ts";

const maxPerRun = 10;
const maxStepsEach = 20;
const pauseMs = 5_000;

/** Work that takes many steps. The database stores the remaining part, so the work continues after a restart. */
interface StepwiseWork<Left> {
  readonly name: string;
  /** Reads the next items. Items after `last`, the one processed last, come first. */
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
   * Runs steps of one item. Each step is a queued call, so other calls run in between. Returns false if no step
   * succeeded.
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
