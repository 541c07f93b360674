import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { promisify } from "node:util";
import { ExplainedError, explain } from "../command.ts";
import { changedMigrations, migrationFiles, releasedMigrations } from "../release/released-migrations.ts";
import { root } from "../root.ts";
import { changeSchema } from "./change-schema.ts";
import { joinStatements, statementsIn } from "./migrate.ts";

const triggers = join(root, "src/store/triggers");
const generated = /^\d+_schema\.sql$/;

/**
 * Creates the migration from the last release's schema to the current one. Without releases, creates it from an empty
 * database. The same files always give the same bytes. `schema` contains the statements that create the current schema.
 */
export async function makeMigration(folder: string, schema?: readonly string[]): Promise<void> {
  const changed = changedMigrations(folder);
  if (changed.length > 0) {
    throw new ExplainedError(
      `A release has ${changed.join(", ")}: restore it, since a released migration never changes.`,
    );
  }
  const released = releasedMigrations(folder);
  const files = migrationFiles(folder);
  const made = files.filter((file) => generated.test(file) && released[file] === undefined);
  const kept = files.filter((file) => !made.includes(file));
  const wanted = schema ?? (await readSchema());
  const directory = join(folder, "migrations");
  const statements = kept.length === 0 ? wanted : changeSchema(await databaseAfter(directory, kept), wanted);
  for (const file of made) await rm(join(directory, file));
  if (statements.length === 0) return;
  const file = join(directory, `${String(kept.length).padStart(4, "0")}_schema.sql`);
  await writeFile(file, joinStatements(statements));
}

async function databaseAfter(directory: string, files: readonly string[]): Promise<DatabaseSync> {
  const database = new DatabaseSync(":memory:");
  for (const file of files) {
    for (const sql of statementsIn(await readFile(join(directory, file), "utf8"))) database.exec(sql);
  }
  return database;
}

/** Returns the statements for the schema in the sources: src/store/schema (by drizzle-kit) and src/store/triggers. */
export async function readSchema(): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), "tributary-schema-"));
  try {
    const drizzleKit = join(root, "node_modules/drizzle-kit/bin.cjs");
    const sources = ["--dialect", "turso", "--schema", "./src/store/schema/*.ts"];
    const out = ["--out", relative(root, folder), "--name", "schema"];
    await promisify(execFile)(process.execPath, [drizzleKit, "generate", ...sources, ...out], { cwd: root });
    const tables = statementsIn(await readFile(join(folder, "0000_schema.sql"), "utf8"));
    return [...tables.map((statement) => strict(statement.trim())), ...(await readTriggers())];
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Adds STRICT, and WITHOUT ROWID for a table whose key has several columns. drizzle-kit supports neither. */
function strict(statement: string): string {
  if (!statement.startsWith("CREATE TABLE")) return statement;
  const options = statement.includes("\tPRIMARY KEY(") ? "STRICT, WITHOUT ROWID" : "STRICT";
  return statement.replace(/\);$/, `) ${options};`);
}

/** The statements of all files, in the order of the file names. */
export async function readTriggers(): Promise<string[]> {
  const names = (await readdir(triggers)).sort();
  const texts = await Promise.all(names.map((name) => readFile(join(triggers, name), "utf8")));
  return texts.flatMap((text) => text.split(/(?<=^END;)$/m).map((trigger) => trigger.trim())).filter(Boolean);
}

if (import.meta.main) {
  try {
    await makeMigration(root);
  } catch (error) {
    console.error(explain(error));
    process.exitCode = 1;
  }
}
