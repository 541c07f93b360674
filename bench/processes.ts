import { readdirSync, readFileSync } from "node:fs";

// Linux only. Elsewhere all of this is undefined, and the tables show a dash.

const ticksPerSecond = 100;

interface Stat {
  readonly name: string;
  readonly parent: number;
  readonly ticks: number;
}

function statOf(pid: number): Stat | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return {
      name: text.slice(text.indexOf("(") + 1, text.lastIndexOf(")")),
      parent: Number(fields[1]),
      ticks: Number(fields[11]) + Number(fields[12]),
    };
  } catch {
    return undefined;
  }
}

/** In steps of 10 ms. */
export function cpuMs(pid: number | undefined): number | undefined {
  const stat = pid === undefined ? undefined : statOf(pid);
  return stat && (stat.ticks * 1_000) / ticksPerSecond;
}

export function ownWorkerds(): ReadonlySet<number> {
  let stats: Map<number, Stat>;
  try {
    const pids = readdirSync("/proc").map(Number).filter(Boolean);
    stats = new Map(
      pids
        .flatMap((pid) => [[pid, statOf(pid)] as const])
        .filter((each): each is [number, Stat] => each[1] !== undefined),
    );
  } catch {
    return new Set();
  }
  const isOurs = (pid: number): boolean =>
    pid === process.pid || (stats.has(pid) && isOurs(stats.get(pid)?.parent ?? 0));
  return new Set([...stats].filter(([pid, { name }]) => name === "workerd" && isOurs(pid)).map(([pid]) => pid));
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

export function peakMegabytes(pid: number | undefined): number | undefined {
  const kilobytes = figureIn(pid, "status", /^VmHWM:\s+(\d+) kB$/m);
  return kilobytes && kilobytes / 1_024;
}
