import { renameSync, writeFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { maxWaitMs } from "../../importer/index.ts";
import { type ExitCode, exit } from "./exit.ts";
import { readFlags, UsageError } from "./flags.ts";
import { createOutput } from "./output.ts";
import { isTakenUp, refused } from "./refused.ts";
import { connect, type Download, type Service } from "./service.ts";

const kinds = ["partners", "customers"];

export const help = `tributary-sdk export partners|customers [flags]

Writes the program's partners with their codes, or its customers with their partners, as a CSV file that
"tributary-sdk import" takes as it is.

  --out <file.csv>   default: standard output

Needs a key with the scope manage. A file is written once it is whole.`;

export async function run(args: string[]): Promise<ExitCode> {
  const { values, positionals } = readFlags(args, { out: { type: "string" } }, 1);
  const [kind = ""] = positionals;
  if (!kinds.includes(kind)) throw new UsageError(`Name what to export: ${kinds.join(", ")}.`);
  const { out, json } = values;
  if (json && out === undefined) throw new UsageError("--json needs --out, because the file goes to standard output.");
  const output = createOutput(json === true);
  const service = connect(values, output);
  const pages: string[] = [];
  let cursor: string | null = null;
  do {
    const query = new URLSearchParams({ kind, ...(cursor !== null && { cursor }) });
    const page = await patiently(service, `programs/me/export?${query}`);
    if (!("text" in page)) return refused(output, page);
    pages.push(page.text);
    cursor = page.headers.get("x-next-cursor");
  } while (cursor !== null);

  // Without a byte order mark, spreadsheets don't read the file as UTF-8.
  const text = `\uFEFF${pages.join("")}`;
  if (out === undefined) {
    process.stdout.write(text);
    return exit.good;
  }
  writeFileSync(`${out}.part`, text);
  renameSync(`${out}.part`, out);
  output.say(`Exported to ${out}.`);
  output.data({ kind, file: out });
  return exit.good;
}

const attempts = 5;

/** Reads a path, and retries a few times if the service asks to call again later. */
async function patiently(service: Service, path: string): Promise<Download> {
  for (let attempt = 1; ; attempt += 1) {
    const reply = await service.download(path);
    if ("text" in reply || !reply.isReached || isTakenUp(reply) || attempt === attempts) return reply;
    const pauseMs = (reply.retryAfterSeconds ?? 1) * 1_000;
    if (pauseMs > maxWaitMs) return reply;
    await delay(pauseMs);
  }
}
