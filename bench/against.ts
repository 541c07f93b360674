import { type ChildProcess, execFileSync, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { root } from "../scripts/root.ts";
import { callsOf, type Kind, type Workload } from "./calls.ts";
import { figureOf, shown, table } from "./figures.ts";
import type { Measured, Window } from "./measure.ts";
import type { Options } from "./options.ts";
import { machine, publish } from "./results.ts";
import { callsAtMost, Windows } from "./window.ts";
import type { TempDir } from "./with-temp-dir.ts";

/** The message that a process of `contender.ts` sends once it is ready. */
export interface Contender extends Measured {
  readonly workload: Workload;
}

interface Row {
  readonly kind: Kind;
  readonly connections: number;
  readonly ours: Window[];
  readonly theirs: Window[];
  readonly again: Window[];
}

const whos = ["ours", "theirs", "again"] as const;
type Who = (typeof whos)[number];
type Run = (who: Who, kind: Kind, connections: number) => Promise<Window>;

/**
 * Compares the working tree with a commit, in alternating windows. The commit runs twice: the difference between its
 * two runs is the noise, and a ratio within this noise means nothing.
 */
export async function compare(temp: TempDir, commit: string, options: Options): Promise<void> {
  const { directory, name } = await temp.stopAtEnd(checkOut(temp, commit));
  const rows = await measureAll(await startAll(temp, directory, options), options);
  const markdown = `${machine()} Against ${name}.\n\n${ratios(rows)}\n\n${costs(rows)}`;
  await publish({ name: "against", markdown, data: { commit: name, options, rows } }, options.write);
}

async function checkOut(temp: TempDir, commit: string) {
  const directory = join(temp.directory, "commit");
  const git = (...args: readonly string[]) => execFileSync("git", args, { cwd: root, encoding: "utf8" }).trim();
  git("worktree", "add", "--quiet", "--detach", directory, commit);
  execFileSync("npm", ["ci", "--prefer-offline", "--no-audit", "--no-fund"], { cwd: directory });
  const stop = async () => void git("worktree", "remove", "--force", directory);
  return { directory, name: git("describe", "--always", "--tags", commit), stop };
}

async function startAll(temp: TempDir, other: string, options: Options): Promise<Run> {
  const loaded = (kind: Kind) => (options.only.includes(kind) ? callsAtMost(options, options.connections.length) : 0);
  const amounts = [String(loaded("sale")), String(loaded("refund"))];
  const start = async (who: Who) => {
    const source = who === "ours" ? root : other;
    const args = [source, join(temp.directory, who), ...amounts];
    const child = fork(join(root, "bench/contender.ts"), args, {
      cwd: source,
      env: who === "ours" ? process.env : asItsOwn,
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
    const { contender } = await temp.stopAtEnd(ready(child));
    const windows = new Windows(options.seconds);
    return { contender, calls: callsOf(contender.workload), windows };
  };
  const started = { ours: await start("ours"), theirs: await start("theirs"), again: await start("again") };
  return (who, kind, connections) => {
    const { contender, calls, windows } = started[who];
    return windows.run(who, contender, calls[kind], connections);
  };
}

/** The environment without TEST_RUNTIME, so that the commit runs on its own default runtime. */
const { TEST_RUNTIME: _, ...asItsOwn } = process.env;

async function ready(child: ChildProcess) {
  const exited = once(child, "exit");
  const [contender] = (await Promise.race([
    once(child, "message"),
    exited.then(([code]) => Promise.reject(new Error(`a contender ended with ${code}`))),
  ])) as [Contender];
  const stop = async () => {
    child.disconnect();
    await exited;
  };
  return { contender, stop };
}

async function measureAll(run: Run, options: Options): Promise<Row[]> {
  const rows: Row[] = options.only.flatMap((kind) =>
    options.connections.map((connections) => ({ kind, connections, ours: [], theirs: [], again: [] })),
  );
  for (let round = 0; round < options.rounds; round += 1) {
    const isTurned = round % 2 === 1;
    for (const row of isTurned ? rows.toReversed() : rows) {
      for (const who of isTurned ? whos.toReversed() : whos) row[who].push(await run(who, row.kind, row.connections));
      process.stderr.write(".");
    }
  }
  process.stderr.write("\n");
  return rows;
}

type Measure = "perSecond" | "p99" | "cpuMs" | "bytesWritten";

const figure = (windows: readonly Window[], what: Measure) => shown(figureOf(windows.map((window) => window[what])));

/** Divides the figures of each round, so that a slowdown of the machine, which affects both contenders, cancels out. */
const ratio = (windows: readonly Window[], of: readonly Window[], what: Measure): string => {
  const ratios = windows.map((window, round) => {
    const [is, was] = [window[what], of[round]?.[what]];
    return is === undefined || was === undefined ? undefined : is / was;
  });
  return shown(figureOf(ratios));
};

const ratios = (rows: readonly Row[]): string =>
  table(
    ["call", "connections", "calls/s", "of the commit", "the commit, of itself"],
    rows.map(({ kind, connections, ours, theirs, again }) => [
      kind,
      String(connections),
      figure(ours, "perSecond"),
      ratio(ours, theirs, "perSecond"),
      ratio(again, theirs, "perSecond"),
    ]),
  );

function costs(rows: readonly Row[]): string {
  const columns = { "p99 ms": "p99", "CPU ms": "cpuMs", "bytes written": "bytesWritten" } as const;
  return table(
    ["call", "connections", ...Object.keys(columns).flatMap((title) => [title, `${title}, commit`, "of the commit"])],
    rows.map(({ kind, connections, ours, theirs }) => [
      kind,
      String(connections),
      ...Object.values(columns).flatMap((what) => [
        figure(ours, what),
        figure(theirs, what),
        ratio(ours, theirs, what),
      ]),
    ]),
  );
}
