import { UsageError } from "./flags.ts";

const unitsMs = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Parses the value of `--since` into milliseconds. Throws a `UsageError`. */
export function durationOf(text: string): number {
  const [, count, unit] = /^(\d{1,7})([smhd])$/.exec(text) ?? [];
  if (unit === undefined) throw new UsageError("--since must be a duration: 30s, 15m, 1h or 7d.");
  return Number(count) * unitsMs[unit as keyof typeof unitsMs];
}
