import { openDatabase } from "../src/store/database.ts";
import { supersedeWriters } from "../src/store/fenced-row.ts";
import { type Database, migrate } from "./migrate.ts";

export async function prepareRestored({ url, authToken }: Database): Promise<string[]> {
  const applied = await migrate({ url, authToken });
  await supersedeWriters(openDatabase({ url, authToken }));
  return applied;
}
