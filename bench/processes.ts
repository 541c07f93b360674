import { readFileSync } from "node:fs";

// Linux only. Elsewhere all of this is undefined, and the tables show a dash.

const ticksPerSecond = 100;

/** In steps of 10 ms. */
export function cpuMs(pid: number | undefined): number | undefined {
  if (pid === undefined) return undefined;
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return ((Number(fields[11]) + Number(fields[12])) * 1_000) / ticksPerSecond;
  } catch {
    return undefined;
  }
}

function figureIn(pid: number | undefined, file: string, line: RegExp): number | undefined {
  try {
    const [, figure] = line.exec(readFileSync(`/proc/${pid}/${file}`, "utf8")) ?? [];
    return figure === undefined ? undefined : Number(figure);
  } catch {
    return undefined;
  }
}

export const bytesWritten = (pid: number): number | undefined => figureIn(pid, "io", /^wchar: (\d+)$/m);

/** A share of what the process has in common with others. */
export function proportionalMegabytes(pid: number | undefined): number | undefined {
  const kilobytes = figureIn(pid, "smaps_rollup", /^Pss:\s+(\d+) kB$/m);
  return kilobytes && kilobytes / 1_024;
}

export function peakMegabytes(pid: number | undefined): number | undefined {
  const kilobytes = figureIn(pid, "status", /^VmHWM:\s+(\d+) kB$/m);
  return kilobytes && kilobytes / 1_024;
}
