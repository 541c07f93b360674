import { mails } from "./schema/mails.ts";
import { everyColumn, insert } from "./statement.ts";

export type MailRow = typeof mails.$inferSelect;

/** One that has been written before stays as it is. */
export const insertMail = insert<MailRow>((db) => db.insert(mails).values(everyColumn(mails)).onConflictDoNothing());
