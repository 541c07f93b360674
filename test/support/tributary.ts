import { execFile } from "node:child_process";
import { Console } from "node:console";
import { Writable } from "node:stream";
import { node, root } from "../../scripts/root.ts";
import { runCommand } from "../../scripts/run-command.ts";

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

/** Runs `npm run tributary -- <args>` in a separate process. */
export const tributaryProcess = (args: readonly string[], env?: Readonly<Record<string, string>>): Promise<Outcome> =>
  execute(node, ["scripts/tributary.ts", ...args], env);

let last: Promise<unknown> = Promise.resolve();

/**
 * Runs `npm run tributary -- <args>` in this process, with its own environment, output and exit code. A separate
 * process would take a second or two of processor time to start. Calls run one after another, because they share the
 * console.
 */
export function tributary(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Outcome> {
  const outcome = last.then(() => runHere(args, env));
  last = outcome.catch(() => {});
  return outcome;
}

async function runHere(args: readonly string[], env: Readonly<Record<string, string>>): Promise<Outcome> {
  const written = { stdout: "", stderr: "" };
  const into = (stream: keyof typeof written) =>
    new Writable({
      write: (chunk, _, done) => {
        written[stream] += chunk;
        done();
      },
    });
  const own = new Console(into("stdout"), into("stderr"));
  const [before, { log, error }] = [process.env, console];
  process.env = { ...before, ...env };
  Object.assign(console, { log: own.log, error: own.error });
  try {
    return { code: await runCommand(args), ...written };
  } finally {
    process.env = before;
    Object.assign(console, { log, error });
  }
}
