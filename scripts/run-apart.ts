import { join } from "node:path";
import { type ChildLog, startLogged } from "./child-log.ts";
import { node } from "./root.ts";

/** In a process of its own, so that its memory is freed. Returns true if it succeeded. */
export async function runApart(
  script: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  log: ChildLog,
): Promise<boolean> {
  const child = await startLogged(node, [join(import.meta.dirname, script), ...args], log, { env });
  return (await child.exited).code === 0;
}
