import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A directory, and what is started in it: all of it ends, the last first, and the directory goes. */
export interface TempDir {
  readonly directory: string;
  /** Hands on what was started. */
  stopAtEnd<T extends { stop(): Promise<void> }>(started: Promise<T>): Promise<T>;
}

export async function withTempDir(run: (temp: TempDir) => Promise<void>): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), "tributary-bench-"));
  const stops: (() => Promise<void>)[] = [];
  try {
    await run({
      directory,
      stopAtEnd: async (started) => {
        const it = await started;
        stops.unshift(() => it.stop());
        return it;
      },
    });
  } finally {
    for (const stop of stops) await stop();
    await rm(directory, { recursive: true, force: true });
  }
}
