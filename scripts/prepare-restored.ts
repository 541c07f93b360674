import { openDatabase } from "../src/store/database.ts";
import { outdateWriters } from "../src/store/fenced-row.ts";
import { type Database, migrate } from "./migrate.ts";

/**
 * Applies the migrations that a restored database lacks, and makes every Ledger forget what it holds of the database
 * before. Returns the names of those that were applied.
 */
export async function prepareRestored({ url, authToken }: Database): Promise<string[]> {
  const applied = await migrate({ url, authToken });
  await outdateWriters(openDatabase({ url, authToken }));
  return applied;
}
