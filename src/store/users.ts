import { and, eq, lt, notExists, sql } from "drizzle-orm";
import { writeBeside } from "./beside.ts";
import type { Database } from "./database.ts";
import { accounts, users } from "./schema.ts";
import { write } from "./statement.ts";

const removeHalfMade = write<{ email: string; before: number }>((db) =>
  db
    .delete(users)
    .where(
      and(
        eq(users.email, sql.placeholder("email")),
        lt(users.createdAt, sql.placeholder("before")),
        notExists(db.select({ one: sql`1` }).from(accounts).where(eq(accounts.userId, users.id))),
      ),
    )
    .returning({ id: users.id }),
);

/** No sign-up that goes on takes longer. */
const signUpTakesMs = 60_000;

/**
 * Removes a user whose sign-up was cut short before their password was stored: nobody could ever sign in as them, nor
 * sign up with their address. Says whether there was one.
 */
export async function removeHalfMadeUser(database: Database, email: string, at: number): Promise<boolean> {
  const [removed = []] = await writeBeside(database, [
    removeHalfMade({ email: email.toLowerCase(), before: at - signUpTakesMs }),
  ]);
  return removed.length > 0;
}
