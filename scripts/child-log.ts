import type { SpawnOptions } from "node:child_process";
import { createInterface } from "node:readline";
import { type Child, startChild } from "./child.ts";

/** A file descriptor for standard output and error, or a function that takes their lines. */
export type ChildLog = number | ((line: string) => void);

export async function startLogged(
  command: string,
  args: readonly string[],
  log: ChildLog,
  { env }: Pick<SpawnOptions, "env">,
): Promise<Child> {
  const output = typeof log === "number" ? log : "pipe";
  const child = await startChild(command, args, { stdio: ["ignore", output, output], env });
  if (typeof log === "function") {
    for (const stream of [child.process.stdout, child.process.stderr]) {
      if (stream !== null) createInterface({ input: stream }).on("line", log);
    }
  }
  return child;
}
