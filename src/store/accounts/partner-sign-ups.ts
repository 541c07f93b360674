import { eq, exists, notExists, sql } from "drizzle-orm";
import { partnerSignUps, users } from "../schema/users.ts";
import { type Compiler, given, readFirst, rowWhere, unencoded, write } from "../statement.ts";

const ofToken = () => eq(partnerSignUps.tokenHash, given("partnerTokenHash"));

export const isUnusedBySignUps = (db: Compiler) =>
  notExists(db.select({ userId: partnerSignUps.userId }).from(partnerSignUps).where(ofToken()));

/** Inserts the row only if the user exists. */
export const insertPartnerSignUp = write<{ tokenHash: string; userId: string; createdAt: number }>((db) =>
  db
    .insert(partnerSignUps)
    .select(
      rowWhere(
        partnerSignUps,
        exists(
          db
            .select({ id: users.id })
            .from(users)
            .where(eq(users.id, sql`${unencoded("userId")}`)),
        ),
      ),
    )
    .onConflictDoNothing(),
);

/** The email address of the account that signed up with the invitation. */
export const emailOfPartnerSignUp = readFirst<{ partnerTokenHash: string }, { email: string }>((db) =>
  db
    .select({ email: users.email })
    .from(partnerSignUps)
    .innerJoin(users, eq(users.id, partnerSignUps.userId))
    .where(ofToken()),
);
