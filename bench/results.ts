import { mkdir, readFile, writeFile } from "node:fs/promises";
import { cpus, totalmem } from "node:os";
import { join } from "node:path";
import { root } from "../scripts/root.ts";
import { judge, type Limit } from "./figures.ts";
import { triedBuild } from "./options.ts";

export interface Report {
  /** Names the files in `bench/results` and the section in the document. */
  readonly name: string;
  readonly markdown: string;
  /** Tables that are too long for the document. */
  readonly details?: string;
  readonly data: unknown;
  readonly limits?: readonly Limit[];
}

const document = join(root, "bench/README.md");

export async function publish(
  { name, markdown, details = "", data, limits = [] }: Report,
  isWritten: boolean,
): Promise<void> {
  if (triedBuild !== undefined) return;
  const verdict = judge(limits);
  if (!verdict.areKept) process.exitCode = 1;
  const text = `${markdown}\n\n${verdict.text}`.trim();
  const whole = `${text}\n\n${details}`.trim();
  console.log(`\n${whole}`);
  const directory = join(root, "bench/results");
  await mkdir(directory, { recursive: true });
  await writeFile(join(directory, `${name}.md`), `${whole}\n`);
  await writeFile(
    join(directory, `${name}.json`),
    `${JSON.stringify({ at: new Date().toISOString(), data }, null, 2)}\n`,
  );
  if (isWritten) await writeFile(document, replaced(await readFile(document, "utf8"), name, text));
}

function replaced(all: string, name: string, text: string): string {
  const [begin, end] = [`<!-- bench:${name} -->`, `<!-- /bench:${name} -->`];
  const [from, to] = [all.indexOf(begin), all.indexOf(end)];
  if (from === -1 || to < from) throw new Error(`${document} has no section ${begin} … ${end}`);
  return `${all.slice(0, from + begin.length)}\n\n${text}\n\n${all.slice(to)}`;
}

export function machine(): string {
  const gigabytes = Math.round(totalmem() / 2 ** 30);
  return `${new Date().toISOString().slice(0, 10)}: ${cpus().length} cores (${cpus()[0]?.model.trim()}), ${gigabytes} GB, ${process.platform}, Node ${process.versions.node}; services, databases and generator on the same cores.`;
}
