import { createHash } from "node:crypto";
import { readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Client, LibsqlBatchError } from "@libsql/client/http";
import { ExplainedError } from "../command.ts";
import { root } from "../root.ts";
import { withClient } from "./client.ts";
import { hashSessionTokens } from "./session-tokens.ts";

export interface Database {
  readonly url: string;
  readonly authToken?: string | undefined;
}

const ownMigrations = join(root, "migrations");

interface Migration {
  readonly name: string;
  readonly hash: string;
  readonly statements: readonly string[];
}

/**
 * Applies the pending migrations in order, each in one transaction with its row in the journal. The row is inserted
 * first, with the migration's name as its key. So of two concurrent runs, one waits or fails as a whole, and then finds
 * the migration applied. Returns the names of the migrations that this call applied.
 */
export async function migrate(database: Database, directory = ownMigrations): Promise<string[]> {
  const migrations = await readMigrations(directory);
  return withClient(database, async (client) => {
    await client.execute(journalTable);
    const applied: string[] = [];
    for (const migration of migrations) {
      if (await apply({ client, url: database.url }, migration)) applied.push(migration.name);
    }
    if (directory === ownMigrations) await hashSessionTokens(client);
    return applied;
  });
}

export const journalTable = `create table if not exists schema_migrations (
  name text primary key not null,
  hash text not null,
  applied_at integer not null
) strict`;

/** The names of the migrations in the order in which they are applied. */
export const migrationFilesIn = (directory: string): readonly string[] =>
  readdirSync(directory)
    .filter((file) => file.endsWith(".sql"))
    .sort();

export const migrationNames = (directory = ownMigrations): readonly string[] =>
  migrationFilesIn(directory).map((file) => file.slice(0, -".sql".length));

export const migrationDigest = (text: string): string => createHash("sha256").update(text).digest("hex");

export async function readMigrations(directory = ownMigrations): Promise<Migration[]> {
  const names = migrationNames(directory);
  return Promise.all(
    names.map(async (name) => {
      const text = await readFile(join(directory, `${name}.sql`), "utf8");
      return {
        name,
        hash: migrationDigest(text),
        statements: statementsIn(text),
      };
    }),
  );
}

const breakpoint = "--> statement-breakpoint";

export const statementsIn = (text: string): string[] =>
  text.split(breakpoint).filter((statement) => statement.trim() !== "");

export const joinStatements = (statements: readonly string[]): string => `${statements.join(`\n${breakpoint}\n`)}\n`;

/** The names of the migrations that a database lacks. */
export async function pendingMigrations(database: Database): Promise<readonly string[]> {
  const { rows } = await withClient(database, (client) => client.execute("select name from schema_migrations"));
  return (await migrationNames()).filter((name) => !rows.some((row) => row.name === name));
}

/** The first of a database's migrations whose content differs from this release's. */
export async function findEdited(applied: readonly Pick<Migration, "name" | "hash">[]): Promise<string | undefined> {
  const hashes = new Map((await readMigrations()).map(({ name, hash }) => [name, hash]));
  return applied.find(({ name, hash }) => hashes.has(name) && hashes.get(name) !== hash)?.name;
}

/**
 * Returns the message that a database has another schema. `where` is "at" with a URL, or "in" with a file or folder.
 */
export const otherSchema = (where: string, migration: string, version = "this version"): string =>
  `The database ${where} has another schema: its migration ${migration} isn't that of ${version}. Schemas are upgraded from release to release, not in between.`;

interface Target {
  readonly client: Client;
  readonly url: string;
}

async function apply(target: Target, migration: Migration): Promise<boolean> {
  if (await isApplied(target, migration)) return false;
  try {
    await target.client.batch(
      [
        {
          sql: "insert into schema_migrations (name, hash, applied_at) values (?, ?, ?)",
          args: [migration.name, migration.hash, Date.now()],
        },
        ...migration.statements,
      ],
      "write",
    );
    return true;
  } catch (error) {
    // Another run may have applied the migration first, or the reply to this commit was lost.
    if (await isApplied(target, migration)) return false;
    throw failed(migration, error);
  }
}

function failed({ name, statements }: Migration, error: unknown): ExplainedError {
  const statement = error instanceof LibsqlBatchError ? statements[error.statementIndex - 1]?.trim() : undefined;
  return new ExplainedError(
    `Migration ${name} failed and left nothing behind: ${error instanceof Error ? error.message : error}` +
      (statement === undefined ? "" : `\n\n${statement}`),
    { cause: error },
  );
}

async function isApplied({ client, url }: Target, migration: Migration): Promise<boolean> {
  const { rows } = await client.execute({
    sql: "select hash from schema_migrations where name = ?",
    args: [migration.name],
  });
  const hash = rows[0]?.hash;
  if (hash !== undefined && hash !== migration.hash) {
    throw new ExplainedError(
      `${otherSchema(`at ${url}`, migration.name)} Use the version that wrote it. To start over, name an empty database. Nothing was changed.`,
    );
  }
  return hash !== undefined;
}
