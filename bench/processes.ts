import { readdirSync, readFileSync } from "node:fs";

// These figures come from /proc, which only Linux has. Elsewhere they are undefined, and the tables show a dash.

const ticksPerSecond = 100;

/** Returns the process's CPU time (ms), in steps of 10 ms. */
export function cpuMs(pid: number | undefined): number | undefined {
  if (pid === undefined) return undefined;
  try {
    const fields = fieldsOf(readProc(pid, "stat"));
    return ((Number(fields[11]) + Number(fields[12])) * 1_000) / ticksPerSecond;
  } catch {
    return undefined;
  }
}

/** Returns the number of bytes that the process has written to the disk. Bytes sent over connections don't count. */
export function bytesWritten(pid: number | undefined): number | undefined {
  if (pid === undefined) return undefined;
  try {
    const [, figure] = /^write_bytes: (\d+)$/m.exec(readProc(pid, "io")) ?? [];
    return figure === undefined ? undefined : Number(figure);
  } catch {
    return undefined;
  }
}

/**
 * The memory of a process and of all processes that it started, directly or not. It is the PSS: a page that several
 * processes share is divided among them.
 */
export function memoryMbOfTree(pid: number): number | undefined {
  try {
    const bytes = idsOfTree(pid).map(
      (id) => 1_024 * Number(/^Pss:\s+(\d+) kB$/m.exec(readProc(id, "smaps_rollup"))?.[1]),
    );
    return bytes.reduce((sum, each) => sum + each, 0) / 1_000_000;
  } catch {
    return undefined;
  }
}

const readProc = (pid: number, file: string): string => readFileSync(`/proc/${pid}/${file}`, "utf8");

function idsOfTree(pid: number): number[] {
  const all = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  const children = Map.groupBy(all.map(Number), parentOf);
  const treeOf = (id: number): number[] => [id, ...(children.get(id) ?? []).flatMap(treeOf)];
  return treeOf(pid);
}

/** Returns the id of the parent process. Undefined if the process has ended. */
function parentOf(pid: number): number | undefined {
  try {
    return Number(fieldsOf(readProc(pid, "stat"))[1]);
  } catch {
    return undefined;
  }
}

/** The fields after the name of the program, which may contain spaces. */
const fieldsOf = (stat: string): string[] => stat.slice(stat.lastIndexOf(")") + 2).split(" ");
