import type { Duty, DutyParts, Look } from "#engine/duty.ts";
import type { Task } from "#engine/task.ts";
import { type OpenErasure, openErasures } from "#store/erasures.ts";
import type { TaskMaker } from "./task.ts";

const maxPerRun = 5;
const maxStepsPerRun = 10;
const pauseMs = 5_000;

/** Goes on with erasures of many rows, which are in the database until they are done. */
export class Erasures implements Duty {
  readonly name = "erasures";
  readonly #taskOf: TaskMaker;
  readonly #clock: DutyParts["clock"];
  #open: readonly OpenErasure[] = [];

  constructor(taskOf: TaskMaker, clock: DutyParts["clock"]) {
    this.#taskOf = taskOf;
    this.#clock = clock;
  }

  look(): Look {
    const read = openErasures({ limit: maxPerRun });
    return {
      read,
      found: (rows) => {
        this.#open = read.decode(rows);
      },
    };
  }

  async run(submit: (task: Task) => void): Promise<number | undefined> {
    const haveGoneOn = await Promise.all(this.#open.map((erasure) => this.#continue(erasure, submit)));
    if (haveGoneOn.length === 0) return undefined;
    return this.#clock.now() + (haveGoneOn.includes(true) ? 0 : pauseMs);
  }

  /** Each step is a call that waits its turn, so that other calls come in between. Returns false if none could be taken. */
  async #continue({ id, programId }: OpenErasure, submit: (task: Task) => void): Promise<boolean> {
    const { continueErasure } = await import("#operations/changes.ts");
    const operationId = `steps of ${id}`;
    for (let steps = 0; steps < maxStepsPerRun; steps += 1) {
      const at = this.#clock.now();
      const call = { kind: "continue-erasure", operationId, at, programId, erasureId: id } as const;
      const task = this.#taskOf(continueErasure, call, at);
      submit(task);
      const outcome = await task.outcome;
      if (!outcome.ok) return steps > 0;
      if (outcome.answer.isOver) return true;
    }
    return true;
  }
}
