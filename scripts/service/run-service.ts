import { explain } from "../command.ts";
import type { LocalService } from "./local-service.ts";

export interface ServiceRun {
  readonly npmScript: string;
  readonly graceMs: number;
  run(): Promise<void>;
  onStopping(): void;
  onStopped?(): void;
}

/**
 * Runs a service, then ends the process: with code 0 after a stop signal, with 1 and a message on stderr when `run`
 * fails.
 */
export async function runService(service: LocalService, options: ServiceRun): Promise<void> {
  const { npmScript, graceMs } = options;
  onStopSignal(npmScript, async () => {
    if (!service.isStopping) options.onStopping();
    await service.stop(graceMs);
    options.onStopped?.();
    process.exit(0);
  });
  try {
    await options.run();
  } catch (error) {
    if (service.isStopping) return;
    await service.stop(graceMs);
    console.error(explain(error));
    process.exit(1);
  }
}

/** Calls `stop` at a stop signal, and also when the npm that started this process was killed silently. */
function onStopSignal(npmScript: string, stop: () => Promise<void>): void {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, stop);
  const { ppid } = process;
  if (process.env.npm_lifecycle_event !== npmScript) return;
  setInterval(() => {
    if (process.ppid !== ppid) process.kill(process.pid, "SIGHUP");
  }, 1_000).unref();
}
