import { execFile, execFileSync } from "node:child_process";
import { readdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import type { TestDatabase } from "../../harness/database.ts";

/** Runs a program so that exceeding a file's size limit fails the write instead of ending the program. */
export const withFailingWrites = ["sh", "-c", 'trap "" XFSZ; exec "$0" "$@"'] as const;

/** The reason why a disk can't be filled on this machine, if any. */
export const whyNotFull: string | undefined = (() => {
  try {
    execFileSync("prlimit", ["--version"], { stdio: "ignore" });
    return undefined;
  } catch {
    return "a full disk is imitated by a limit to the size of files, set from outside by prlimit, which is not here";
  }
})();

/**
 * Limits every file to the size of the database's largest, plus `freeBytes`. Returns a function that lifts the limit.
 */
export async function fillDisk({ pid, logFile }: TestDatabase, freeBytes: number): Promise<() => Promise<void>> {
  const directory = join(dirname(logFile), "sqld");
  const files = await readdir(directory, { recursive: true });
  const sizes = await Promise.all(files.map(async (file) => (await stat(join(directory, file))).size));
  const limit = async (bytes: string) => {
    await promisify(execFile)("prlimit", ["--pid", String(pid), `--fsize=${bytes}:unlimited`]);
  };
  await limit(String(Math.max(...sizes) + freeBytes));
  return () => limit("unlimited");
}
