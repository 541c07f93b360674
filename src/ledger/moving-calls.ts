import type { ProgramId } from "#domain/ids.ts";
import { type ProgramPlace, placeRefusal } from "#domain/program-place.ts";
import type { Clock } from "#engine/writer.ts";
import type { Outcome } from "#operations/operation.ts";

/** Most moves are short. */
const waitMs = 5_000;
/** Of one program. */
const maxWaiting = 100;
const releaseEveryMs = 10;
const retryAfterSeconds = { atLeast: 5, atMost: 60 };

interface Moving {
  readonly since: number;
  readonly waiting: Set<() => void>;
}

/** Calls of programs that move. They wait where the end of a move is heard, since asking again and again costs other programs time. */
export class MovingCalls {
  readonly #clock: Clock;
  readonly #moving = new Map<ProgramId, Moving>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async answer<Answer>(submit: () => Promise<Outcome<Answer>>): Promise<Outcome<Answer>> {
    const until = this.#clock.now() + waitMs;
    for (;;) {
      const outcome = await submit();
      if (outcome.ok || outcome.refusal.code !== "program_moving") return outcome;
      const moving = this.#of(outcome.refusal.programId);
      if (await this.#wait(moving, until)) continue;
      return { ...outcome, refusal: { code: "unavailable", retryAfterSeconds: this.#retryAfter(moving) } };
    }
  }

  onProgram(program: ProgramPlace): void {
    if (placeRefusal(program)?.code === "program_moving") return;
    const moving = this.#moving.get(program.id);
    this.#moving.delete(program.id);
    if (moving !== undefined) void this.#releaseAll(moving.waiting);
  }

  /** One after another, so that calls of other programs find room between them. */
  async #releaseAll(waiting: Moving["waiting"]): Promise<void> {
    for (const release of waiting) {
      release();
      await this.#clock.sleep(releaseEveryMs);
    }
  }

  #of(programId: ProgramId): Moving {
    const moving = this.#moving.get(programId) ?? { since: this.#clock.now(), waiting: new Set() };
    this.#moving.set(programId, moving);
    return moving;
  }

  /** Returns false if the program still moves. */
  async #wait({ waiting }: Moving, until: number): Promise<boolean> {
    const leftMs = until - this.#clock.now();
    if (leftMs <= 0 || waiting.size >= maxWaiting) return false;
    const released = Promise.withResolvers<boolean>();
    const release = () => released.resolve(true);
    waiting.add(release);
    void this.#clock.sleep(leftMs).then(() => released.resolve(false));
    const isReleased = await released.promise;
    waiting.delete(release);
    return isReleased;
  }

  /** The longer the move takes, the later, so that callers who come back don't grow in number with those who wait. */
  #retryAfter({ since }: Moving): number {
    const { atLeast, atMost } = retryAfterSeconds;
    return Math.min(atMost, Math.max(atLeast, Math.ceil((this.#clock.now() - since) / 1_000)));
  }
}
