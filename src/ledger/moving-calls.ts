import type { ProgramId } from "#domain/ids.ts";
import { type ProgramPlace, placeRefusal } from "#domain/program-place.ts";
import type { Clock } from "#engine/writer.ts";
import type { Lane, Outcome } from "#operations/operation.ts";

/** Most moves are short. */
const waitMs = 5_000;
/** Of one program in each lane. */
const maxWaiting = 100;
const releaseEveryMs = 10;
const shortMoveMs = 15_000;
const retryAfterSeconds = { ofShort: 5, ofLong: 15 };

interface Moving {
  readonly since: number;
  readonly waiting: Set<{ readonly lane: Lane; release(): void }>;
  isOver: boolean;
}

/** Calls of programs that move. They wait where the end of a move is heard, since asking again and again costs other programs time. */
export class MovingCalls {
  readonly #clock: Clock;
  readonly #moving = new Map<ProgramId, Moving>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async answer<Answer>(lane: Lane, submit: () => Promise<Outcome<Answer>>): Promise<Outcome<Answer>> {
    const until = this.#clock.now() + waitMs;
    for (;;) {
      const outcome = await submit();
      if (outcome.ok || outcome.refusal.code !== "program_moving") return outcome;
      const moving = this.#of(outcome.refusal.programId);
      if (await this.#wait(moving, lane, until)) continue;
      return { ...outcome, refusal: { code: "unavailable", retryAfterSeconds: this.#retryAfter(moving) } };
    }
  }

  onProgram(program: ProgramPlace): void {
    if (placeRefusal(program)?.code === "program_moving") return;
    const moving = this.#moving.get(program.id);
    this.#moving.delete(program.id);
    if (moving !== undefined) void this.#releaseAll(moving);
  }

  /** One after another, so that calls of other programs find room between them. */
  async #releaseAll(moving: Moving): Promise<void> {
    moving.isOver = true;
    for (const each of moving.waiting) {
      each.release();
      await this.#clock.sleep(releaseEveryMs);
    }
  }

  #of(programId: ProgramId): Moving {
    const moving = this.#moving.get(programId) ?? { since: this.#clock.now(), waiting: new Set(), isOver: false };
    this.#moving.set(programId, moving);
    return moving;
  }

  /** Returns false if the program still moves. */
  async #wait(moving: Moving, lane: Lane, until: number): Promise<boolean> {
    const { waiting } = moving;
    const leftMs = Math.min(waitMs, until - this.#clock.now());
    const ahead = [...waiting].filter((each) => each.lane === lane).length;
    if (leftMs <= 0 || ahead >= maxWaiting) return false;
    const released = Promise.withResolvers<boolean>();
    const own = { lane, release: () => released.resolve(true) };
    waiting.add(own);
    void this.#clock.sleep(leftMs).then(() => moving.isOver || released.resolve(false));
    const isReleased = await released.promise;
    waiting.delete(own);
    return isReleased;
  }

  /** Of a long move later, so that those who come back don't crowd out calls of other programs. */
  #retryAfter({ since }: Moving): number {
    return this.#clock.now() - since < shortMoveMs ? retryAfterSeconds.ofShort : retryAfterSeconds.ofLong;
  }
}
