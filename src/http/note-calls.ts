import { createMiddleware } from "hono/factory";
import type { AppEnv, Ctx } from "./context.ts";
import { logError } from "./log.ts";

type Note = (c: Ctx, status: number) => void;
let note: Note | undefined;

/**
 * Adds calls with a key, and refused calls, to the request log. Loads the code that does this only for such calls, so
 * that a browser's click doesn't compile it.
 */
export const noteCalls = createMiddleware<AppEnv>(async (c, next) => {
  await next();
  if (c.get("key") === undefined && c.get("log").refusal === undefined) return;
  const { status } = c.res;
  if (note === undefined) c.executionCtx.waitUntil(loadNote().then((loaded) => attempt(loaded, c, status)));
  else attempt(note, c, status);
});

async function loadNote(): Promise<Note> {
  note = (await import("./note-call.ts")).noteCall;
  return note;
}

/** An error here must not change the response. */
function attempt(noteIt: Note, c: Ctx, status: number): void {
  try {
    noteIt(c, status);
  } catch (error) {
    logError(c, error);
  }
}
