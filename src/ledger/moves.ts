import type { CustomerId, ProgramId } from "#domain/ids.ts";
import type { Duty, DutyParts, Look } from "#engine/duty.ts";
import type { Task } from "#engine/task.ts";
import { nextPendingMoves } from "#store/pending-moves.ts";
import type { TaskMaker } from "./task.ts";

const maxMovesPerRun = 10;
/** Sales of a customer that follow in one run, by 100. */
const maxStepsPerMove = 20;
const pauseMs = 5_000;

interface PendingMove {
  readonly customerId: CustomerId;
  readonly programId: ProgramId;
}

/** Has the sales of customers follow them to another partner. What is left is in the database, and continues after a restart. */
export class Moves implements Duty {
  readonly name = "moves";
  readonly #taskOf: TaskMaker;
  readonly #clock: DutyParts["clock"];
  #pending: readonly PendingMove[] = [];
  #lastCustomerId = 0;

  constructor(taskOf: TaskMaker, clock: DutyParts["clock"]) {
    this.#taskOf = taskOf;
    this.#clock = clock;
  }

  look(): Look {
    const read = nextPendingMoves({ after: this.#lastCustomerId, limit: maxMovesPerRun });
    return {
      read,
      found: (rows) => {
        this.#pending = read.decode(rows);
        this.#lastCustomerId = this.#pending.at(-1)?.customerId ?? 0;
      },
    };
  }

  async run(submit: (task: Task) => void): Promise<number | undefined> {
    const haveMoved = await Promise.all(this.#pending.map((move) => this.#continue(move, submit)));
    if (haveMoved.length === 0) return undefined;
    return this.#clock.now() + (haveMoved.includes(true) ? 0 : pauseMs);
  }

  /** Each step is a call that waits its turn, so that other calls come in between. Returns false if none could be taken. */
  async #continue({ customerId, programId }: PendingMove, submit: (task: Task) => void): Promise<boolean> {
    const { continueMove } = await import("#operations/customer-events.ts");
    const operationId = `move of customer ${customerId}`;
    for (let steps = 0; steps < maxStepsPerMove; steps += 1) {
      const at = this.#clock.now();
      const task = this.#taskOf(continueMove, { kind: "continue-move", operationId, at, programId, customerId }, at);
      submit(task);
      const outcome = await task.outcome;
      if (!outcome.ok) return steps > 0;
      if (outcome.answer.isOver) return true;
    }
    return true;
  }
}
