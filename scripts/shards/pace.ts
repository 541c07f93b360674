import { setTimeout as delay } from "node:timers/promises";
import { restAfter } from "#domain/rest.ts";
import type { Clock } from "#engine/writer.ts";

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
  readonly #begunAt: number;

  constructor(clock: PaceClock) {
    this.#clock = clock;
    this.#begunAt = clock.now();
  }

  /** Of one kind of work. */
  steps(sizes: StepSizes): Steps {
    return new Steps(this, sizes);
  }

  get isResting(): boolean {
    return this.#clock.now() - this.#begunAt > withoutRestMs;
  }

  /** At once, or one after the other if the work takes long. */
  async all<T>(works: readonly (() => Promise<T>)[]): Promise<readonly T[]> {
    if (!this.isResting) return Promise.all(works.map((work) => work()));
    const results: T[] = [];
    for (const work of works) results.push(await work());
    return results;
  }

  async step<T>(run: () => Promise<T>): Promise<{ readonly result: T; readonly tookMs: number }> {
    const startedAt = this.#clock.now();
    const result = await run();
    const tookMs = this.#clock.now() - startedAt;
    if (this.isResting) await this.#clock.sleep(restAfter(tookMs, restsPerStep));
    return { result, tookMs };
  }
}

/** Each has a size that follows from how long the last one took. */
export class Steps {
  readonly #pace: Pace;
  readonly #sizes: StepSizes;
  #size: number;

  constructor(pace: Pace, sizes: StepSizes) {
    this.#pace = pace;
    this.#sizes = sizes;
    this.#size = sizes.first;
  }

  get size(): number {
    return this.#size;
  }

  async run<T>(step: (size: number) => Promise<T>): Promise<T> {
    const size = this.#size;
    const { result, tookMs } = await this.#pace.step(() => step(size));
    const fitting = Math.round((size * stepMs) / Math.max(tookMs, 1));
    const { atLeast, atMost } = this.#sizes;
    this.#size = Math.min(atMost, Math.max(atLeast, Math.ceil(size / 2), Math.min(size * 2, fitting)));
    return result;
  }

  /** Of fewer rows than the size, which says nothing about it. */
  async runPart<T>(step: () => Promise<T>): Promise<T> {
    return (await this.#pace.step(step)).result;
  }
}
