import type { Refusal } from "#domain/refusal.ts";
import { restAfter } from "#domain/rest.ts";
import { ok, type Result, refused, retryAfterSeconds } from "#domain/result.ts";
import type { Ctx } from "./context.ts";
import { perEnv } from "./per-env.ts";
import { refusalOfSite } from "./same-site.ts";
import { type Caller, resting, type Turn, Turns, takeTurn, until, waitsMs } from "./turns.ts";

const maxParts = 4;

/** Limits how many parts of downloads are created at the same time. */
export class PartSlots {
  #taken = 0;

  /** Returns false if all slots are in use. */
  takes(): boolean {
    if (this.#taken >= maxParts) return false;
    this.#taken += 1;
    return true;
  }

  end(): void {
    this.#taken -= 1;
  }
}

const downloads = perEnv(() => ({ turns: new Turns(), slots: new PartSlots() }));

type Parts = AsyncGenerator<string, undefined>;

const running: Refusal = { code: "download_running", retryAfterSeconds };

/**
 * Starts a download. `open` returns the parts of the file. The parts are created one after another. After each part,
 * there is a pause for as long as its creation took. While the client isn't reading, no part is created.
 */
export async function download<Opened extends { readonly parts: Parts }>(
  c: Ctx,
  by: Caller,
  open: () => Promise<Result<Opened>>,
): Promise<Result<Opened>> {
  const foreign = refusalOfSite(c);
  if (foreign !== undefined) return refused(foreign);
  // A HEAD request would never read the parts.
  if (c.req.method === "HEAD") return refused({ code: "method_not_allowed", allow: ["GET"] });
  const { turns, slots } = downloads(c);
  const turn = await takeTurn(c, turns, by);
  if (turn === undefined) return refused(running);
  try {
    const opened = (await step(slots, open, waitsMs)) ?? refused(running);
    if (opened.ok) return ok({ ...opened.value, parts: gently({ turns, turn, slots }, opened.value.parts) });
    turns.end(turn);
    return opened;
  } catch (error) {
    turns.end(turn);
    throw error;
  }
}

/** Runs `make` in a slot. Returns undefined if no slot is free within the time. */
async function step<T>(slots: PartSlots, make: () => Promise<T>, withinMs?: number): Promise<T | undefined> {
  if (!(await until(() => slots.takes(), withinMs))) return undefined;
  try {
    const startedAt = Date.now();
    const made = await make();
    await resting(restAfter(Date.now() - startedAt, 1));
    return made;
  } finally {
    slots.end();
  }
}

interface Running {
  readonly turns: Turns;
  readonly turn: Turn;
  readonly slots: PartSlots;
}

async function* gently({ turns, turn, slots }: Running, parts: Parts): Parts {
  try {
    for (;;) {
      const part = await step(slots, () => parts.next());
      if (part === undefined || part.done === true) return;
      yield part.value;
      if (!turns.goesOn(turn, Date.now())) throw new Error("a file ended that had no reader for long");
    }
  } finally {
    turns.end(turn);
    await parts.return(undefined);
  }
}
