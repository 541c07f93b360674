import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Command, Ended } from "./command.ts";

/** Writes files of events. `args` are the command's arguments for replaying a file. */
export function replayFiles(cli: Command) {
  let files = 0;
  return async (lines: readonly (object | string)[]) => {
    files += 1;
    const file = join(cli.directory, `past-${files}.jsonl`);
    const write = async (written: readonly (object | string)[]) =>
      writeFile(file, written.map((line) => `${typeof line === "string" ? line : JSON.stringify(line)}\n`).join(""));
    await write(lines);
    const journal = `${file}.progress`;
    const rows = async (path: string) =>
      (await readFile(path, "utf8").catch(() => ""))
        .split("\n")
        .filter(Boolean)
        .map((line) => JSON.parse(line));
    return {
      file,
      journal,
      write,
      rows,
      args: (...args: string[]) => ["replay", file, "--json", ...args],
      journalled: async () => (await readFile(journal, "utf8").catch(() => "")).split("\n").length - 2,
    };
  };
}

export const summaryOf = ({ out }: Ended) => JSON.parse(out || "{}");
