import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { parseClickKeyRing } from "#domain/click-id.ts";
import { parseDataKeys } from "#domain/data-keys.ts";
import { journalTable, readMigrations } from "../database/migrate.ts";
import { newSecret } from "../service/secrets.ts";
import { composeSample } from "./compose.ts";
import { workspaceId } from "./demo.ts";
import { userId } from "./demo-user.ts";

/**
 * Returns the file of a database with the sample program, as this version creates it. The secrets that it was created
 * with are discarded.
 */
export async function sampleBook(now: number): Promise<Buffer> {
  const clickKeys = parseClickKeyRing(newSecret("CLICK_KEYS"));
  const dataKeys = parseDataKeys(newSecret("DATA_KEYS"));
  if (clickKeys === undefined || dataKeys === undefined) throw new Error("a new secret is malformed");
  const settings = { workspaceId, userId, clickKeys, hashSecret: newSecret("HASH_SECRET"), dataKeys };
  const { save } = await composeSample(settings, now);
  const folder = await mkdtemp(join(tmpdir(), "tributary-book-"));
  try {
    const file = join(folder, "book");
    save(file);
    await noteMigrations(file, now);
    return await readFile(file);
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function noteMigrations(file: string, now: number): Promise<void> {
  const database = new DatabaseSync(file);
  database.exec(journalTable);
  for (const { name, hash } of await readMigrations()) {
    database.prepare("insert into schema_migrations values (?, ?, ?)").run(name, hash, now);
  }
  database.close();
}
