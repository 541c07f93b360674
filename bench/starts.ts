import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { node, root } from "../scripts/root.ts";
import { type Child, startLogged } from "../scripts/service/child.ts";
import { freePort } from "../scripts/service/ports.ts";
import { figureOf, type Limit, shown, table } from "./figures.ts";
import { unlessTried } from "./options.ts";
import { memoryMbOfTree } from "./processes.ts";
import { machine } from "./results.ts";
import type { TempDir } from "./with-temp-dir.ts";

const laterStarts = unlessTried(5, 0);
/** The garbage collector of a new process needs some seconds until its memory is constant. */
const idleMs = unlessTried(15_000, 0);

interface Start {
  readonly child: Child;
  /** From the start of the process until it logs that it is ready. */
  readonly seconds: number;
}

async function start(data: string): Promise<Start> {
  const [port, metricsPort] = [await freePort(), await freePort()];
  const begin = performance.now();
  const ready = Promise.withResolvers<number>();
  const lines: string[] = [];
  const child = await startLogged(
    node,
    [join(root, "scripts/service/serve.ts"), "--data", data, "--port", String(port)],
    (line) => {
      lines.push(line);
      if (line.includes('"Ready at')) ready.resolve((performance.now() - begin) / 1_000);
    },
    // Vitest sets BASE_URL to a path.
    { env: { ...process.env, BASE_URL: undefined, METRICS_PORT: String(metricsPort) } },
  );
  const ended = child.exited.then(() => {
    throw new Error(`The service ended before it was ready:\n${lines.join("\n")}`);
  });
  return { child, seconds: await Promise.race([ready.promise, ended]) };
}

/** Measures `npm run serve`: the time until it is ready, and the memory of all its processes when it is idle. */
export async function measureStarts({ directory }: TempDir) {
  const data = join(directory, "served");
  const first: number[] = [];
  const later: number[] = [];
  const memory: (number | undefined)[] = [];
  for (let round = 0; round <= laterStarts; round += 1) {
    const { child, seconds } = await start(data);
    (round === 0 ? first : later).push(seconds);
    if (round > 0) {
      await delay(idleMs);
      memory.push(memoryMbOfTree(child.pid));
    }
    await child.stop(20_000);
    process.stderr.write(".");
  }
  process.stderr.write("\n");
  const rows = [
    ["first start, in an empty folder, with the build, s", shown(figureOf(first))],
    ["later start, s", shown(figureOf(later))],
    ["memory when idle, MB", shown(figureOf(memory))],
  ];
  const limits: Limit[] = [{ what: "memory when idle, MB", is: figureOf(memory)?.median, atMost: 300 }];
  return {
    markdown: `${machine()}\n\n${table(["npm run serve", "is"], rows)}`,
    data: { first, later, memory },
    limits,
  };
}
