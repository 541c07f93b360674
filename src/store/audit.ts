import { eq, sql } from "drizzle-orm";
import { auditEntries } from "./schema/audit.ts";
import { everyColumn, insert, readAll, readFirst } from "./statement.ts";

export type AuditRow = typeof auditEntries.$inferSelect;

export const auditOfOperation = readFirst<{ operationId: string }, AuditRow>((db) =>
  db
    .select()
    .from(auditEntries)
    .where(eq(auditEntries.operationId, sql.placeholder("operationId"))),
);

/** Takes a JSON array of operation ids, and returns those that are done. */
export const operationsDone = readAll<{ operationIds: string }, { operationId: string }>((db) =>
  db
    .select({ operationId: auditEntries.operationId })
    .from(auditEntries)
    .where(sql`${auditEntries.operationId} in (select value from json_each(${sql.placeholder("operationIds")}))`),
);

export const insertAudit = insert<AuditRow>((db) => db.insert(auditEntries).values(everyColumn(auditEntries)));
