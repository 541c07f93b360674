import { setTimeout as delay } from "node:timers/promises";
import { ExplainedError } from "../command.ts";

export type Say = (level: "info" | "warn", message: string) => void;

export interface Kept {
  readonly name: string;
  /** Resolves once the run has ended, with the reason as a sentence. */
  ended(): Promise<string>;
  start(): Promise<void>;
  readonly isStopping: () => boolean;
  readonly say: Say;
}

export interface Patience {
  readonly firstDelayMs: number;
  readonly longestDelayMs: number;
  /** A run of at least this length resets the count of failures. */
  readonly steadyMs: number;
  readonly attempts: number;
}

const usual: Patience = { firstDelayMs: 100, longestDelayMs: 5_000, steadyMs: 30_000, attempts: 6 };

/** Keeps the service running. Returns once it stops, and throws an `ExplainedError` if it gives up. */
export async function keepRunning(kept: Kept, patience: Patience = usual): Promise<void> {
  let failures = 0;
  let startedAt = Date.now();
  let reason = await kept.ended();
  while (!kept.isStopping()) {
    failures = Date.now() - startedAt < patience.steadyMs ? failures + 1 : 1;
    if (failures >= patience.attempts) {
      throw new ExplainedError(`${kept.name} failed ${failures} times in a row. ${reason}`);
    }
    const waitMs = Math.min(patience.firstDelayMs * 2 ** (failures - 1), patience.longestDelayMs);
    kept.say("warn", `${reason} It is started again in ${waitMs} ms.`);
    await delay(waitMs);
    if (kept.isStopping()) return;
    startedAt = Date.now();
    reason = await kept.start().then(
      () => {
        kept.say("info", `${kept.name} runs again.`);
        return kept.ended();
      },
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    );
  }
}
