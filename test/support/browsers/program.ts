import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface Program {
  /** The part of the output that the pattern's group matched. */
  readonly said: string;
  stop(): Promise<void>;
}

interface Start {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Matches the output once the program has started. */
  readonly says?: RegExp;
}

const tellsMs = 60_000;

/** Starts a program, and waits for its output if a pattern is given. */
export async function startProgram({ command, args, env, says }: Start): Promise<Program> {
  const child = spawn(command, args, { env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "pipe"] });
  const said = await (says === undefined ? once(child, "spawn").then(() => "") : found(child, says)).catch(
    async (error: unknown) => {
      await stop(child);
      throw error;
    },
  );
  return { said, stop: () => stop(child) };
}

function found(child: ChildProcess, pattern: RegExp): Promise<string> {
  let output = "";
  return new Promise((resolve, reject) => {
    const fail = () => reject(new Error(`${child.spawnfile} didn't start: ${output}`));
    const timer = setTimeout(fail, tellsMs);
    const read = (chunk: Buffer) => {
      output += chunk;
      const [, group] = pattern.exec(output) ?? [];
      if (group === undefined) return;
      clearTimeout(timer);
      resolve(group);
    };
    for (const stream of [child.stdout, child.stderr]) stream?.on("data", read);
    child.once("error", reject);
    child.once("exit", fail);
  });
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill();
  const timer = setTimeout(() => child.kill("SIGKILL"), 5_000);
  await ended;
  clearTimeout(timer);
}

/** Creates a folder for a browser's profile. */
export async function profileFolder(): Promise<{ readonly path: string; remove(): Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), "browser-profile-"));
  return { path, remove: () => rm(path, { recursive: true, force: true, maxRetries: 5 }) };
}
