import { rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";

/**
 * Calls a function with a folder that only its owner can read. Removes the folder afterwards, even if the process exits
 * early.
 */
export async function inTemporaryFolder<T>(prefix: string, work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(prefix);
  const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  process.once("exit", remove);
  try {
    return await work(folder);
  } finally {
    process.off("exit", remove);
    remove();
  }
}

/** Turns signals into a normal exit. Otherwise a signal would end the process without the `exit` event. */
export function exitOnSignals(): void {
  for (const [signal, number] of Object.entries({ SIGHUP: 1, SIGINT: 2, SIGTERM: 15 })) {
    process.once(signal, () => process.exit(128 + number));
  }
}
