import type { ProgramId } from "#domain/ids.ts";
import type { LongReadStep } from "./rpc.ts";

/** For one database: each reads at most a quarter of the time. */
const maxRunning = 4;
const patienceMs = 15_000;
/** While others wait, a program rests for as long as it has read, within these limits. */
const rest = { min: 5_000, max: 60_000 } as const;

interface Running extends Pick<LongReadStep, "userId" | "operationId"> {
  /** When the program took its place. A newer read of the same user takes over the time too. */
  readonly since: number;
  /** When it counts as abandoned unless it continues. */
  readonly until: number;
}

/**
 * Lets a program run one read of a kind at a time, and limits the number of programs that do. While more programs want to, none
 * reads again at once, so that a few can't keep all places. In memory: a new instance starts over.
 */
export class LongReads {
  readonly #running = new Map<ProgramId, Running>();
  /** Programs that found no place, until they count as gone. */
  readonly #waiting = new Map<ProgramId, number>();
  readonly #resting = new Map<ProgramId, number>();

  /** False if it must wait for others, or stop for a newer one of the same user. */
  admits({ programId, userId, operationId, step }: LongReadStep, at: number): boolean {
    this.#forget(at);
    const running = this.#running.get(programId);
    const isOwn = running?.operationId === operationId;
    if (step === "end") return isOwn && this.#end(programId, running, at);
    if (running === undefined) {
      const isFull = this.#running.size >= maxRunning || (this.#resting.has(programId) && this.#othersWait(programId));
      if (isFull) this.#waiting.set(programId, at + patienceMs);
      if (isFull) return false;
    } else if (!isOwn && !(step === "begin" && running.userId === userId && this.#mayGoOn(programId, running, at))) {
      return false;
    }
    this.#waiting.delete(programId);
    this.#running.set(programId, { userId, operationId, since: running?.since ?? at, until: at + patienceMs });
    return true;
  }

  #othersWait(programId: ProgramId): boolean {
    return this.#waiting.size > (this.#waiting.has(programId) ? 1 : 0);
  }

  #mayGoOn(programId: ProgramId, { since }: Running, at: number): boolean {
    return at - since < patienceMs || !this.#othersWait(programId);
  }

  #end(programId: ProgramId, { since }: Running, at: number): boolean {
    this.#resting.set(programId, at + Math.min(Math.max(at - since, rest.min), rest.max));
    return this.#running.delete(programId);
  }

  #forget(at: number): void {
    for (const [id, running] of this.#running) if (running.until <= at) this.#end(id, running, running.until);
    for (const ends of [this.#waiting, this.#resting]) for (const [id, end] of ends) if (end <= at) ends.delete(id);
  }
}
