import type { LoopParts } from "./parts.ts";
import type { Queue } from "./queue.ts";
import { retryAfterSeconds } from "./round.ts";
import type { Task } from "./task.ts";

/**
 * The longest time (ms) that a call waits for the database before it is answered without it. Callers wait longer, so the
 * answer still reaches them.
 */
export const maxWaitMs = 9_000;

/** Answers calls without the database: calls that can be kept (clicks) are stored, and all others are refused. */
export class Fallback {
  readonly #clock: LoopParts["clock"];
  readonly #queue: Queue<Task>;
  mayKeep = true;

  constructor(clock: LoopParts["clock"], queue: Queue<Task>) {
    this.#clock = clock;
    this.#queue = queue;
  }

  answer(task: Task, retryAfter = retryAfterSeconds): void {
    if (!this.mayKeep || !task.keep()) task.refuse({ code: "unavailable", retryAfterSeconds: retryAfter });
  }

  answerAll(tasks: readonly Task[]): void {
    for (const task of [...tasks, ...this.#queue.removeAll()]) if (!task.isSettled) this.answer(task);
  }

  answerExpired(tasks: readonly Task[] = []): void {
    const isExpired = ({ arrivedAt }: Task) => this.#clock.now() - arrivedAt > maxWaitMs;
    const expired = tasks.filter((task) => !task.isSettled && isExpired(task));
    for (const task of [...this.#queue.removeExpired(isExpired), ...expired]) this.answer(task);
  }
}
