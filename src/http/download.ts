import type { ProgramId } from "#domain/ids.ts";
import type { Refusal } from "#domain/refusal.ts";
import { restAfter } from "#domain/rest.ts";
import { ok, type Result, refused } from "#domain/result.ts";
import type { Env } from "#env.ts";
import type { Ctx } from "./context.ts";
import { type Download, Downloads } from "./downloads.ts";

const downloadsOf = new WeakMap<Env, Downloads>();
const longReadsOf = new WeakMap<Env, Downloads>();

function of({ env }: Ctx, known: WeakMap<Env, Downloads>): Downloads {
  const found = known.get(env) ?? new Downloads();
  known.set(env, found);
  return found;
}

/** A file that takes no longer than this isn't a reason to refuse the next one. */
const waitsMs = 5_000;
const looksEveryMs = 50;

const resting = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function until(isSo: () => boolean, withinMs = Number.POSITIVE_INFINITY): Promise<boolean> {
  const end = Date.now() + withinMs;
  while (!isSo()) {
    if (Date.now() >= end) return false;
    await resting(looksEveryMs);
  }
  return true;
}

type Parts = AsyncGenerator<string, undefined>;

export interface Downloading {
  /** Of the user, or the hash of the key. */
  readonly actorId: string;
  readonly programId: ProgramId;
}

const running: Refusal = { code: "download_running", retryAfterSeconds: 5 };

/**
 * `open` begins a file, whose parts are made one after the other, each followed by a rest as long as it took. While its reader takes
 * nothing, no part is made.
 */
export async function download<Opened extends { readonly parts: Parts }>(
  c: Ctx,
  by: Downloading,
  open: () => Promise<Result<Opened>>,
): Promise<Result<Opened>> {
  // Nobody would read it.
  if (c.req.method === "HEAD") return refused({ code: "method_not_allowed", allow: ["GET"] });
  const file = { id: c.get("call").operationId, caller: by.actorId, programId: by.programId };
  const all = of(c, downloadsOf);
  if (!(await until(() => all.opens(file, Date.now()), waitsMs))) return refused(running);
  try {
    const opened = await step(all, open, waitsMs);
    if (opened?.ok) return ok({ ...opened.value, parts: gently(all, file, opened.value.parts) });
    all.end(file);
    return opened ?? refused(running);
  } catch (error) {
    all.end(file);
    throw error;
  }
}

/** A read that takes longer in a program with much: one at a time for a caller, two for a program, so that others get theirs. */
export async function inTurn<T>(c: Ctx, by: Downloading, read: () => Promise<Result<T>>): Promise<Result<T>> {
  const turn = { id: c.get("call").operationId, caller: by.actorId, programId: by.programId };
  const all = of(c, longReadsOf);
  const mayRead = await until(() => all.opens(turn, Date.now()), waitsMs);
  if (!mayRead) return refused({ code: "rate_limited", retryAfterSeconds: 5 });
  try {
    return await read();
  } finally {
    all.end(turn);
  }
}

/** Undefined if it would have to wait longer for others. */
async function step<T>(all: Downloads, make: () => Promise<T>, withinMs?: number): Promise<T | undefined> {
  if (!(await until(() => all.beginsPart(), withinMs))) return undefined;
  try {
    const startedAt = Date.now();
    const made = await make();
    await resting(restAfter(Date.now() - startedAt, 1));
    return made;
  } finally {
    all.endPart();
  }
}

async function* gently(all: Downloads, file: Download, parts: Parts): Parts {
  try {
    for (;;) {
      const part = await step(all, () => parts.next());
      if (part === undefined || part.done === true) return;
      yield part.value;
      if (!all.goesOn(file, Date.now())) throw new Error("a file ended that nobody had read for long");
    }
  } finally {
    all.end(file);
    await parts.return(undefined);
  }
}
