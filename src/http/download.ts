import type { ProgramId } from "#domain/ids.ts";
import { restAfter } from "#domain/rest.ts";
import { ok, type Result, refused } from "#domain/result.ts";
import type { Env } from "#env.ts";
import type { Ctx } from "./context.ts";
import { type Download, Downloads } from "./downloads.ts";

const downloadsOf = new WeakMap<Env, Downloads>();

function downloads({ env }: Ctx): Downloads {
  const found = downloadsOf.get(env) ?? new Downloads();
  downloadsOf.set(env, found);
  return found;
}

/** A file that takes no longer than this isn't a reason to refuse the next one. */
const waitsMs = 5_000;
const looksEveryMs = 50;

const resting = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

type Parts = AsyncGenerator<string, undefined>;

export interface Downloading {
  /** Of the user, or the hash of the key. */
  readonly actorId: string;
  readonly programId: ProgramId;
}

/**
 * `open` begins a file, whose parts are made one after the other, each followed by a rest as long as it took.
 */
export async function download<Opened extends { readonly parts: Parts }>(
  c: Ctx,
  by: Downloading,
  open: () => Promise<Result<Opened>>,
): Promise<Result<Opened>> {
  const turn = { id: c.get("call").operationId, caller: by.actorId, programId: by.programId };
  const all = downloads(c);
  const until = Date.now() + waitsMs;
  while (!all.admits(turn, Date.now())) {
    if (Date.now() >= until) return refused({ code: "download_running", retryAfterSeconds: 5 });
    await resting(looksEveryMs);
  }
  try {
    const opened = await open();
    if (opened.ok) return ok({ ...opened.value, parts: gently(all, turn, opened.value.parts) });
    all.end(turn);
    return opened;
  } catch (error) {
    all.end(turn);
    throw error;
  }
}

async function* gently(all: Downloads, turn: Download, parts: Parts): Parts {
  try {
    for (;;) {
      // Others have the turn of a reader who took nothing for long.
      while (!all.admits(turn, Date.now())) await resting(looksEveryMs);
      const startedAt = Date.now();
      const { value, done } = await parts.next();
      if (done === true) return;
      const tookMs = Date.now() - startedAt;
      yield value;
      await resting(restAfter(tookMs, 1));
    }
  } finally {
    all.end(turn);
    await parts.return(undefined);
  }
}
