import { type SQLWrapper, sql } from "drizzle-orm";
import { users } from "../schema/users.ts";

// A deleted user's row stays, without name and address, as the author of their actions.

export const deletedName = "Deleted user";

/** Not a valid email address, so no one can sign in with it. */
export const deletedEmail = sql`'deleted:' || ${users.id}`;

/** The user's address. Null for a deleted user. */
export const addressOf = (email: SQLWrapper) => sql<string | null>`iif(${email} glob 'deleted:*', null, ${email})`;
