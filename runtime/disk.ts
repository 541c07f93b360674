import { gauge, type Metric } from "./exposition.ts";

export interface DiskReport {
  readonly freeBytes: number;
  readonly sizeBytes: number;
  readonly minFreeBytes: number;
}

/**
 * The disk counts as recovered only above this multiple of the limit, so that a disk near the limit isn't reported
 * repeatedly.
 */
const recoveryFactor = 1.1;

let last: DiskReport | undefined;
let isLow = false;

export function takeDiskReport(report: DiskReport): void {
  const { freeBytes, minFreeBytes } = report;
  last = report;
  const wasLow = isLow;
  isLow = freeBytes < (wasLow ? minFreeBytes * recoveryFactor : minFreeBytes);
  if (isLow === wasLow) return;
  const figures = { free_bytes: freeBytes, min_free_bytes: minFreeBytes };
  if (isLow) console.error(JSON.stringify({ level: "error", event: "disk.low", ...figures }));
  else console.log(JSON.stringify({ level: "info", event: "disk.recovered", ...figures }));
}

export const isDiskLow = (): boolean => isLow;

const isBytes = (value: unknown): value is number => typeof value === "number" && value >= 0;

export function parseDiskReport(json: unknown): DiskReport | undefined {
  if (typeof json !== "object" || json === null) return undefined;
  const { freeBytes, sizeBytes, minFreeBytes } = json as Readonly<Record<string, unknown>>;
  return isBytes(freeBytes) && isBytes(sizeBytes) && isBytes(minFreeBytes)
    ? { freeBytes, sizeBytes, minFreeBytes }
    : undefined;
}

export function diskMetrics(): readonly Metric[] {
  if (last === undefined) return [];
  const { freeBytes, sizeBytes, minFreeBytes } = last;
  return [
    gauge(
      { name: "tributary_disk_free_bytes", help: "Free space of the file system that holds the data." },
      { value: freeBytes },
    ),
    gauge(
      { name: "tributary_disk_size_bytes", help: "Size of the file system that holds the data." },
      { value: sizeBytes },
    ),
    gauge(
      { name: "tributary_disk_min_free_bytes", help: "Free space below which /readyz answers 503." },
      { value: minFreeBytes },
    ),
  ];
}
