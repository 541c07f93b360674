import { readFileSync } from "node:fs";

// Linux only. Elsewhere all of this is undefined, and the tables show a dash.

const ticksPerSecond = 100;

/** Returns the process's CPU time (ms), in steps of 10 ms. */
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

/** Returns the bytes that the process has written to the disk, without those that it sent over connections. */
export function bytesWritten(pid: number | undefined): number | undefined {
  if (pid === undefined) return undefined;
  try {
    const [, figure] = /^write_bytes: (\d+)$/m.exec(readFileSync(`/proc/${pid}/io`, "utf8")) ?? [];
    return figure === undefined ? undefined : Number(figure);
  } catch {
    return undefined;
  }
}
