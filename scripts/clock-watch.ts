import { uptime } from "node:os";
import type { ClockReport } from "../src/domain/machine-clock.ts";

const everyMs = 5_000;

export function watchClock(report: (report: ClockReport) => Promise<void>): () => void {
  const look = () => void report({ at: Date.now(), uptimeMs: uptime() * 1_000 }).catch(() => {});
  look();
  const timer = setInterval(look, everyMs).unref();
  return () => clearInterval(timer);
}
