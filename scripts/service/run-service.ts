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
 * Runs a service, and then ends the process: with code 0 after a stop signal, or with code 1 and a message on stderr if
 * `run` fails.
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

/** Calls `stop` on a stop signal, and also if the npm that started this process was killed. */
function onStopSignal(npmScript: string, stop: () => Promise<void>): void {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, stop);
  const { ppid } = process;
  if (process.env.npm_lifecycle_event !== npmScript) return;
  setInterval(() => {
    if (process.ppid !== ppid) process.kill(process.pid, "SIGHUP");
  }, 1_000).unref();
}
