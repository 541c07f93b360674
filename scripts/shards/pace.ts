import { setTimeout as delay } from "node:timers/promises";
import { restAfter } from "#domain/rest.ts";
import type { Clock } from "#engine/writer.ts";
import { DatabaseError } from "#store/database.ts";

export type PaceClock = Pick<Clock, "now" | "sleep">;

export const machineTime: PaceClock = { now: () => performance.now(), sleep: (ms) => delay(ms) };

/** What a step should take. Calls of other programs wait for as long. */
const stepMs = 15;
/** By then a small program has moved: without rests, its own calls wait for less. */
const withoutRestMs = 3_000;
/** Calls of the program wait for a move. */
const restsPerStep = 1;

export interface StepSizes {
  readonly first: number;
  readonly atLeast: number;
  readonly atMost: number;
}

/** Divides a move's work into short steps, and rests after each once it takes long, so that programs that stay find their database free. */
export class Pace {
  readonly #clock: PaceClock;
  readonly #restsFrom: number;

  /** `isAwaited`: calls of the program wait for the work. */
  constructor(clock: PaceClock, { isAwaited }: { readonly isAwaited: boolean }) {
    this.#clock = clock;
    this.#restsFrom = isAwaited ? clock.now() + withoutRestMs : clock.now();
  }

  /** Of one kind of work. */
  steps(sizes: StepSizes): Steps {
    return new Steps(this, sizes);
  }

  async step<T>(run: () => Promise<T>): Promise<{ readonly result: T; readonly tookMs: number }> {
    const startedAt = this.#clock.now();
    const result = await run();
    const tookMs = this.#clock.now() - startedAt;
    if (this.#clock.now() > this.#restsFrom) await this.#clock.sleep(restAfter(tookMs, restsPerStep));
    return { result, tookMs };
  }
}

/** Each has a size that follows from how long the last one took. */
export class Steps {
  readonly #pace: Pace;
  readonly #sizes: StepSizes;
  #size: number;
  #limit: number;

  constructor(pace: Pace, sizes: StepSizes) {
    this.#pace = pace;
    this.#sizes = sizes;
    this.#size = sizes.first;
    this.#limit = sizes.atMost;
  }

  get size(): number {
    return Math.min(this.#size, this.#limit);
  }

  /** Of a step that is to be tried again: a server answers with 10 MB at most, and rows may have long texts. Throws where that can't be the cause. */
  shrinkAfter(error: unknown): void {
    if (this.size === 1 || !(error instanceof DatabaseError)) throw error;
    this.#limit = Math.ceil(this.size / 10);
  }

  async run<T>(step: (size: number) => Promise<T>): Promise<T> {
    const { size } = this;
    const { result, tookMs } = await this.#pace.step(() => step(size));
    const fitting = Math.round((size * stepMs) / Math.max(tookMs, 1));
    const { atLeast, atMost } = this.#sizes;
    this.#limit = Math.min(atMost, Math.ceil(this.#limit * 1.1));
    this.#size = Math.min(atMost, Math.max(atLeast, Math.ceil(size / 2), Math.min(size * 2, fitting)));
    return result;
  }

  /** Of fewer rows than the size, which says nothing about it. */
  async runPart<T>(step: () => Promise<T>): Promise<T> {
    return (await this.#pace.step(step)).result;
  }
}
