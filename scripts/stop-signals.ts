/** Also when the npm that started this process was killed silently. */
export function onStopSignal(npmScript: string, stop: () => Promise<void>): void {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, stop);
  const { ppid } = process;
  if (process.env.npm_lifecycle_event !== npmScript) return;
  setInterval(() => {
    if (process.ppid !== ppid) process.kill(process.pid, "SIGHUP");
  }, 1_000).unref();
}
