import { eq, exists, sql } from "drizzle-orm";
import type { MailRow } from "../mails.ts";
import { mails } from "../schema/mails.ts";
import { verifications } from "../schema/users.ts";
import { given, rowWhere, write } from "../statement.ts";

/** Inserts the mail only if the row of the mailed link was written. `identifier` identifies this row. */
export const insertLinkMail = write<MailRow & { identifier: string }>((db) =>
  db
    .insert(mails)
    .select(
      rowWhere(
        mails,
        exists(
          db
            .select({ one: sql`1` })
            .from(verifications)
            .where(eq(verifications.identifier, given("identifier"))),
        ),
      ),
    )
    .onConflictDoNothing(),
);
