import { mkdir, readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect } from "vitest";
import { auditLedger } from "../../scripts/audit/ledger.ts";
import { databaseFile, objectsFolder } from "../../scripts/backup/data-paths.ts";
import { extract, openBackup } from "../../scripts/backup/open-backup.ts";
import { withClient } from "../../scripts/database/client.ts";
import { journalTable, readMigrations } from "../../scripts/database/migrate.ts";
import { node } from "../../scripts/root.ts";
import type { Answers } from "../faults/traffic.ts";
import { execute, type Outcome } from "../support/tributary.ts";
import type { Started } from "./started.ts";

/** Runs the command with a limit on file sizes: the database's size and 2 kB. The limit is too low for an archive. */
export async function runWithoutRoom(data: string, ...args: string[]): Promise<Outcome> {
  const { size } = await stat(join(data, databaseFile));
  // `ulimit` counts blocks of 512 bytes.
  return execute("sh", ["-c", `trap "" XFSZ; ulimit -f ${size / 512 + 4}; exec "$0" "$@"`, node, ...args]);
}

/** Creates data with an empty database. */
export async function makeEmptyData(data: string): Promise<void> {
  const file = join(data, databaseFile);
  await mkdir(join(file, ".."), { recursive: true });
  const database = new DatabaseSync(file);
  database.exec("pragma journal_mode = wal");
  database.exec(journalTable);
  for (const { name, hash, statements } of await readMigrations()) {
    for (const statement of statements) database.exec(statement);
    database.prepare("insert into schema_migrations values (?, ?, 0)").run(name, hash);
  }
  database.close();
}

/** Opens the database and the demo program of a running service. */
export async function openService({ url }: Started, data: string) {
  const running = JSON.parse(await readFile(join(data, "running.json"), "utf8"));
  const database = { url: running.databaseUrl as string, authToken: running.databaseAuthToken as string };
  const { programId, key, code } = JSON.parse(await readFile(join(data, "demo.json"), "utf8"));
  return {
    ...{ url, database, programId: programId as number, key: key as string },
    partner: { landingUrl: `https://shop.example/?aff=${code}` },
    rows: async (sql: string, ...args: (string | number | null)[]) => query(join(data, databaseFile), sql, ...args),
    audit: () => withClient(database, auditLedger),
  };
}

/**
 * Queries a database file, even while a service uses it. Closes the file at once, because two SQLite libraries in one
 * process release each other's locks.
 */
function query(file: string, sql: string, ...args: (string | number | null)[]): Record<string, unknown>[] {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    return database.prepare(sql).all(...args);
  } finally {
    database.close();
  }
}

export async function ledgerStorage(data: string, sql: string): Promise<Record<string, unknown>[]> {
  const files = await readdir(join(data, objectsFolder), { recursive: true });
  const file = files.find((path) => /Ledger\/[0-9a-f]{64}\.sqlite$/.test(path)) ?? "";
  return query(join(data, objectsFolder, file), sql);
}
export const keptClicks = async (data: string): Promise<number> =>
  Number((await ledgerStorage(data, "select count(*) as n from clicks"))[0]?.n);

/**
 * Checks that the backup contains every answered call. A click may be in the database or in the Ledger's own storage.
 */
export async function expectHeld(answers: Answers, file: string, folder: string): Promise<void> {
  await extract(await openBackup(file), folder);
  const stored = (sql: string) => query(join(folder, databaseFile), sql);
  const kept = await ledgerStorage(folder, "select click_id from clicks");
  const clicks = [...stored("select click_id from clicks"), ...kept].map(({ click_id: id }) => id);
  expect(clicks).toEqual(expect.arrayContaining([...answers.clicks.values()]));
  const sales = stored("select id, transaction_id, refunded_cents from sales");
  const answered = [...answers.sales.values()].filter((id) => id !== undefined);
  expect(sales.map(({ id }) => id)).toEqual(expect.arrayContaining(answered));
  const refunded = sales.filter((sale) => Number(sale.refunded_cents) > 0).map((sale) => sale.transaction_id);
  expect(refunded).toEqual(expect.arrayContaining([...answers.refunds]));
}

/** Checks that the backup contains neither the service's secrets nor the keys of the visitor digests. */
export async function expectNoSecrets(file: string, data: string): Promise<void> {
  const visitorKeys = await ledgerStorage(data, "select key from visitor_keys");
  expect(visitorKeys.length).toBeGreaterThan(0);
  const bytes = await readFile(file);
  for (const { key } of visitorKeys) expect(bytes.includes(String(key))).toBe(false);
  for (const line of (await readFile(join(data, "dev.vars"), "utf8")).trim().split("\n")) {
    expect(bytes.includes(/"(?:1:)?(.+)"/.exec(line)?.[1] ?? line)).toBe(false);
  }
}
