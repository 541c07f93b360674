import { count, sql } from "drizzle-orm";
import { type Database, readOne } from "./database.ts";
import { mails } from "./schema/mails.ts";
import { given, readCount } from "./statement.ts";

const writtenMails = readCount<{ ids: string }>((db) =>
  db
    .select({ n: count() })
    .from(mails)
    .where(sql`${mails.id} in (select value from json_each(${given("ids")}))`),
);

/** Returns how many of these mails were written. */
export const countWrittenMails = async (database: Database, ids: readonly string[]): Promise<number> =>
  await readOne(database, writtenMails({ ids: JSON.stringify(ids) }));
