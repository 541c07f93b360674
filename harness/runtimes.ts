import { nodeCommand } from "../scripts/service/node.ts";
import { workerdCommand } from "./workerd.ts";

/**
 * `node` runs the service like `npm start`. `workerd` runs it like Cloudflare, with a database server that it reaches
 * over HTTP.
 */
export const commands = { node: nodeCommand, workerd: workerdCommand } as const;
export type Runtime = keyof typeof commands;

/** The runtime of a test or benchmark, from TEST_RUNTIME. The default is `node`. */
export function chosenRuntime({ TEST_RUNTIME: text = "node" }: NodeJS.ProcessEnv): Runtime {
  if (text === "node" || text === "workerd") return text;
  throw new RangeError(`TEST_RUNTIME is ${text}: it is node or workerd`);
}
