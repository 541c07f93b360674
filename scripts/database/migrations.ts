import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { promisify } from "node:util";
import released from "../release/released-migrations.json" with { type: "json" };
import { root } from "../root.ts";

const triggers = join(root, "src/store/triggers");
const breakpoint = "--> statement-breakpoint";

/**
 * Makes the one migration from its sources: tables and indexes from src/store/schema by drizzle-kit, triggers from
 * src/store/triggers. The same sources give the same bytes.
 */
export async function makeMigration(directory: string): Promise<void> {
  await rm(directory, { recursive: true, force: true });
  await generate(directory);
  const file = join(directory, "0000_schema.sql");
  const tables = (await readFile(file, "utf8")).split(breakpoint).map((statement) => strict(statement.trim()));
  const statements = [...tables, ...(await readTriggers())];
  await writeFile(file, `${statements.join(`\n${breakpoint}\n`)}\n`);
  await fixStamps(join(directory, "meta"));
}

/** Once there are more migrations than one: the dialect `sqlite` rebuilds a changed table, which drops triggers and STRICT. */
async function generate(directory: string): Promise<void> {
  const drizzleKit = join(root, "node_modules/drizzle-kit/bin.cjs");
  const schema = "./src/store/schema/*.ts";
  const args = ["--dialect", "turso", "--schema", schema, "--out", relative(root, directory), "--name", "schema"];
  await promisify(execFile)(process.execPath, [drizzleKit, "generate", ...args], { cwd: root });
}

/** drizzle-kit knows neither STRICT nor WITHOUT ROWID, which suits every table whose key has several columns. */
function strict(statement: string): string {
  if (!statement.startsWith("CREATE TABLE")) return statement;
  const options = statement.includes("\tPRIMARY KEY(") ? "STRICT, WITHOUT ROWID" : "STRICT";
  return statement.replace(/\);$/, `) ${options};`);
}

/** The statements of every file, in the order of their names. */
export async function readTriggers(): Promise<string[]> {
  const names = (await readdir(triggers)).sort();
  const texts = await Promise.all(names.map((name) => readFile(join(triggers, name), "utf8")));
  return texts.flatMap((text) => text.split(/(?<=^END;)$/m).map((trigger) => trigger.trim())).filter(Boolean);
}

/** drizzle-kit writes a random id and the time of the call. */
async function fixStamps(meta: string): Promise<void> {
  const snapshot = join(meta, "0000_snapshot.json");
  const { id: _random, ...schema } = JSON.parse(await readFile(snapshot, "utf8"));
  const digest = createHash("sha256").update(JSON.stringify(schema)).digest("hex");
  const id = digest.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, "$1-$2-$3-$4-$5");
  await writeFile(snapshot, `${JSON.stringify({ id, ...schema }, null, 2)}\n`);
  const journal = join(meta, "_journal.json");
  const { entries, ...rest } = JSON.parse(await readFile(journal, "utf8"));
  const timeless = entries.map((entry: object) => ({ ...entry, when: 0 }));
  await writeFile(journal, `${JSON.stringify({ ...rest, entries: timeless }, null, 2)}\n`);
}

if (import.meta.main) {
  if (Object.keys(released).length > 0) {
    console.error("The migration is part of a release: write the next one beside it, and never edit one.");
    process.exit(1);
  }
  await makeMigration(join(root, "migrations"));
}
