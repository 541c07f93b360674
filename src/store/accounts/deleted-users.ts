import { type SQLWrapper, sql } from "drizzle-orm";
import { users } from "../schema/users.ts";

// The row of a deleted user stays, so that what they did has an author: without a name, and with no address.

export const deletedName = "Deleted user";

/** Not an address: no one signs in with it. */
export const deletedEmail = sql`'deleted:' || ${users.id}`;

/** Null for that of a deleted user. */
export const addressOf = (email: SQLWrapper) => sql<string | null>`iif(${email} glob 'deleted:*', null, ${email})`;
