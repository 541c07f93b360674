import { execFile } from "node:child_process";
import { node, root } from "../../scripts/root.ts";

export interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export const execute = (
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Outcome> =>
  new Promise((resolve) => {
    execFile(command, args, { cwd: root, env: { ...process.env, ...env } }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
  });

/** `npm run tributary -- <args>` */
export const tributary = (args: readonly string[], env?: Readonly<Record<string, string>>): Promise<Outcome> =>
  execute(node, ["scripts/tributary.ts", ...args], env);
