import { type ClockReport, MachineClock } from "#domain/machine-clock.ts";

/** Detects by reports of the parent process that the machine's clock was set ahead. */
export const machineClock = new MachineClock();

const isTime = (value: unknown): value is number => typeof value === "number" && value >= 0;

export function parseClockReport(json: unknown): ClockReport | undefined {
  if (typeof json !== "object" || json === null) return undefined;
  const { at, uptimeMs } = json as Readonly<Record<string, unknown>>;
  return isTime(at) && isTime(uptimeMs) ? { at, uptimeMs } : undefined;
}
