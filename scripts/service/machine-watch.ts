import { statfs } from "node:fs/promises";
import { uptime } from "node:os";
import type { ClockReport } from "#domain/machine-clock.ts";
import type { DiskReport } from "../../runtime/disk.ts";

const everyMs = 5_000;

/** The minimum free space. It is enough for hours of events, and small enough for a small disk. */
const usualMinFreeBytes = 500_000_000;
const usualMinFreeShare = 0.05;

export interface DiskWatchOptions {
  /** The default is 500 MB, or 5% of the disk if that is less. */
  readonly minFreeBytes?: number | undefined;
  readonly everyMs?: number;
}

export function watchDisk(
  directory: string,
  report: (report: DiskReport) => Promise<void>,
  options: DiskWatchOptions = {},
): () => void {
  const look = () =>
    void measure(directory, options.minFreeBytes)
      .then(report)
      .catch(() => {});
  look();
  const timer = setInterval(look, options.everyMs ?? everyMs).unref();
  return () => clearInterval(timer);
}

async function measure(directory: string, minFreeBytes?: number): Promise<DiskReport> {
  const { bavail, blocks, bsize } = await statfs(directory);
  const sizeBytes = blocks * bsize;
  const usual = Math.min(usualMinFreeBytes, Math.floor(sizeBytes * usualMinFreeShare));
  return { freeBytes: bavail * bsize, sizeBytes, minFreeBytes: minFreeBytes ?? usual };
}

export function watchClock(report: (report: ClockReport) => Promise<void>): () => void {
  const look = () => void report({ at: Date.now(), uptimeMs: uptime() * 1_000 }).catch(() => {});
  look();
  const timer = setInterval(look, everyMs).unref();
  return () => clearInterval(timer);
}
