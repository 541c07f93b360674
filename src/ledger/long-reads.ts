import type { ProgramId } from "#domain/ids.ts";
import type { LongReadStep } from "./rpc.ts";

/**
 * The maximum number of long reads of one kind that run in one database at a time. Each long read pauses between its
 * steps.
 */
const maxRunning = 4;
const patienceMs = 15_000;

interface Running extends Pick<LongReadStep, "userId" | "operationId"> {
  /** When the read counts as abandoned unless it continues (ms). */
  readonly until: number;
}

/**
 * Allows only one long read of a kind per program at a time, and limits the number of programs with one. The state is
 * in memory, so a new instance starts with no reads.
 */
export class LongReads {
  readonly #running = new Map<ProgramId, Running>();

  /** False if the read must wait for others, or must stop because the same user has started a newer one. */
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
