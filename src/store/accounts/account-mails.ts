import { and, eq, exists, type SQL } from "drizzle-orm";
import type { MailRow } from "../mails.ts";
import { mails } from "../schema/mails.ts";
import { accountEvents, recoveryCodes } from "../schema/users.ts";
import { type Compiler, given, rowWhere, write } from "../statement.ts";

const insertMailWhere = <Values extends Record<string, unknown>>(condition: (db: Compiler) => SQL) =>
  write<MailRow & Values>((db) =>
    db
      .insert(mails)
      .select(rowWhere(mails, condition(db)))
      .onConflictDoNothing(),
  );

/** Inserts the mail only if the event was written. */
export const insertEventMail = insertMailWhere<{ eventOperationId: string }>((db) =>
  exists(
    db
      .select({ id: accountEvents.id })
      .from(accountEvents)
      .where(eq(accountEvents.operationId, given("eventOperationId"))),
  ),
);

/** Inserts the mail only if the operation used a recovery code. */
export const insertRecoveryMail = insertMailWhere<{ userId: string; operationId: string }>((db) =>
  exists(
    db
      .select({ userId: recoveryCodes.userId })
      .from(recoveryCodes)
      .where(and(eq(recoveryCodes.userId, given("userId")), eq(recoveryCodes.usedBy, given("operationId")))),
  ),
);
