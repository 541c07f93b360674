import { eq, sql } from "drizzle-orm";
import { auditEntries } from "./schema/audit.ts";
import { everyColumn, readFirst, write } from "./statement.ts";

export type AuditRow = typeof auditEntries.$inferSelect;

export const auditOfOperation = readFirst<{ operationId: string }, AuditRow>((db) =>
  db
    .select()
    .from(auditEntries)
    .where(eq(auditEntries.operationId, sql.placeholder("operationId"))),
);

export const insertAudit = write<AuditRow>((db) => db.insert(auditEntries).values(everyColumn(auditEntries)));
