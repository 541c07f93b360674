import { and, desc, eq, sql } from "drizzle-orm";
import type { ProgramId } from "#domain/ids.ts";
import { auditEntries } from "./schema/audit.ts";
import { everyColumn, given, insert, readAll, readFirst } from "./statement.ts";

export type AuditRow = typeof auditEntries.$inferSelect;

export const auditOfOperation = readFirst<{ operationId: string }, AuditRow>((db) =>
  db
    .select()
    .from(auditEntries)
    .where(eq(auditEntries.operationId, given("operationId"))),
);

/** Filters operation ids to those with an audit entry. `operationIds` is a JSON array. */
export const operationsDone = readAll<{ operationIds: string }, { operationId: string }>((db) =>
  db
    .select({ operationId: auditEntries.operationId })
    .from(auditEntries)
    .where(sql`${auditEntries.operationId} in (select value from json_each(${given("operationIds")}))`),
);

/** The actor's last entry of this action for the subject. */
export const lastEntryOf = readFirst<
  { programId: ProgramId; subject: string; action: string; actorId: string },
  { createdAt: number }
>((db) =>
  db
    .select({ createdAt: sql<number>`${auditEntries.createdAt}` })
    .from(auditEntries)
    .where(
      and(
        eq(auditEntries.programId, given("programId")),
        eq(auditEntries.subject, given("subject")),
        eq(auditEntries.action, given("action")),
        eq(auditEntries.actorId, given("actorId")),
      ),
    )
    .orderBy(desc(auditEntries.id))
    .limit(1),
);

export const insertAudit = insert<AuditRow>((db) => db.insert(auditEntries).values(everyColumn(auditEntries)));
