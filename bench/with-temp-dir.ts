import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface TempDir {
  readonly directory: string;
  /** Started services stop in reverse order, before the directory is removed. */
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
