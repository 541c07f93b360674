import type { ProgramId } from "#domain/ids.ts";
import type { LongReadStep } from "./rpc.ts";

/** For one database: each reads at most a quarter of the time. */
const maxRunning = 4;
const patienceMs = 15_000;

interface Running extends Pick<LongReadStep, "userId" | "operationId"> {
  /** When it counts as abandoned unless it continues. */
  readonly until: number;
}

/**
 * Lets a program run one read of a kind at a time, and limits the number of programs that do. In memory: a new instance starts
 * over.
 */
export class LongReads {
  readonly #running = new Map<ProgramId, Running>();

  /** False if it must wait for others, or stop for a newer one of the same user. */
  admits({ programId, userId, operationId, step }: Omit<LongReadStep, "kind">, at: number): boolean {
    for (const [id, { until }] of this.#running) if (until <= at) this.#running.delete(id);
    const running = this.#running.get(programId);
    const isOwn = running?.operationId === operationId;
    if (step === "end") return isOwn && this.#running.delete(programId);
    const mayReplace = isOwn || (step === "begin" && running?.userId === userId);
    if (running === undefined ? this.#running.size >= maxRunning : !mayReplace) return false;
    this.#running.set(programId, { userId, operationId, until: at + patienceMs });
    return true;
  }
}
