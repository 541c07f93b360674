import type { ProgramId } from "#domain/ids.ts";
import { type Result, refused, retryAfterSeconds } from "#domain/result.ts";
import type { Ctx } from "./context.ts";
import { perEnv } from "./per-env.ts";

const maxOf = { caller: 1, program: 2 } as const;
/**
 * A turn ends after this time without progress. The time is longer than the time after which an unread connection is
 * closed.
 */
const patienceMs = 90_000;
/** A caller waits this long for a turn before being refused. */
export const waitsMs = 5_000;
const looksEveryMs = 50;

export interface Caller {
  /** The user's id, or the hash of the key. */
  readonly actorId: string;
  readonly programId: ProgramId;
}

export interface Turn extends Caller {
  readonly id: string;
}

/**
 * Limits long reads to one at a time for each caller and two for each program. The turns are kept in the memory of this
 * process.
 */
export class Turns {
  readonly #taken = new Map<string, Turn & { readonly until: number }>();

  /** Starts a turn. Returns false if the caller or the program must wait for other work. */
  takes(turn: Turn, at: number): boolean {
    for (const [id, { until }] of this.#taken) if (until <= at) this.#taken.delete(id);
    const taken = [...this.#taken.values()];
    const isFull =
      taken.filter(({ programId }) => programId === turn.programId).length >= maxOf.program ||
      taken.filter(({ actorId }) => actorId === turn.actorId).length >= maxOf.caller;
    return !isFull && this.#renew(turn, at);
  }

  /** Extends a turn. Returns false if it has ended because it made no progress. */
  goesOn(turn: Turn, at: number): boolean {
    return this.#taken.has(turn.id) && this.#renew(turn, at);
  }

  end({ id }: Turn): void {
    this.#taken.delete(id);
  }

  #renew(turn: Turn, at: number): true {
    this.#taken.set(turn.id, { ...turn, until: at + patienceMs });
    return true;
  }
}

export const resting = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

export async function until(isSo: () => boolean, withinMs = Number.POSITIVE_INFINITY): Promise<boolean> {
  const end = Date.now() + withinMs;
  while (!isSo()) {
    if (Date.now() >= end) return false;
    await resting(looksEveryMs);
  }
  return true;
}

/** Waits for a turn. Returns undefined if that takes too long. */
export async function takeTurn(c: Ctx, turns: Turns, { actorId, programId }: Caller): Promise<Turn | undefined> {
  const turn = { id: c.get("call").operationId, actorId, programId };
  return (await until(() => turns.takes(turn, Date.now()), waitsMs)) ? turn : undefined;
}

const longReads = perEnv(() => new Turns());

/** Runs a read whose duration grows with the program's events, so that it doesn't delay other programs. */
export async function inTurn<T>(
  c: Ctx,
  by: Caller,
  read: () => Promise<Result<T>>,
  turnsOf = longReads,
): Promise<Result<T>> {
  const turns = turnsOf(c);
  const turn = await takeTurn(c, turns, by);
  if (turn === undefined) return refused({ code: "rate_limited", retryAfterSeconds });
  try {
    return await read();
  } finally {
    turns.end(turn);
  }
}
