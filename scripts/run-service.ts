import type { LocalService } from "./local-service.ts";
import { explain } from "./service-error.ts";
import { onStopSignal } from "./stop-signals.ts";

export interface ServiceRun {
  readonly npmScript: string;
  readonly graceMs: number;
  run(): Promise<void>;
  onStopping(): void;
  onStopped?(): void;
}

/** Ends the process: with code 0 after a stop signal, with 1 and a message on stderr when `run` fails. */
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
