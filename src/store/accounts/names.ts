import { sql } from "drizzle-orm";
import { type Database, readBatch } from "../database.ts";
import { users } from "../schema/users.ts";
import { readAll } from "../statement.ts";

const namesOf = readAll<{ ids: string }, { id: string; name: string }>((db) =>
  db
    .select({ id: users.id, name: users.name })
    .from(users)
    .where(sql`${users.id} in (select value from json_each(${sql.placeholder("ids")}))`),
);

export async function readNames(database: Database, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const { names } = await readBatch(database, { names: namesOf({ ids: JSON.stringify(ids) }) });
  return new Map(names.map(({ id, name }) => [id, name]));
}

const emailsOfUsers = readAll<{ ids: string }, { id: string; email: string }>((db) =>
  db
    .select({ id: users.id, email: users.email })
    .from(users)
    .where(sql`${users.id} in (select value from json_each(${sql.placeholder("ids")}))`),
);

export async function readEmails(database: Database, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const { emails } = await readBatch(database, { emails: emailsOfUsers({ ids: JSON.stringify(ids) }) });
  return new Map(emails.map(({ id, email }) => [id, email]));
}
