import { and, desc, eq, lt, sql } from "drizzle-orm";
import { type Database, readBatch } from "../database.ts";
import { auditEntries } from "../schema/audit.ts";
import { users } from "../schema/users.ts";
import { readAll } from "../statement.ts";

export interface AuditEntryView {
  readonly id: number;
  readonly createdAt: number;
  readonly actorId: string;
  readonly actorName: string | null;
  readonly action: string;
  readonly subject: string;
  readonly before: string | null;
  readonly after: string | null;
}

const given = sql.placeholder;

const page = readAll<{ programId: number; before: number; limit: number }, AuditEntryView>((db) =>
  db
    .select({
      id: auditEntries.id,
      createdAt: auditEntries.createdAt,
      actorId: auditEntries.actorId,
      actorName: users.name,
      action: auditEntries.action,
      subject: auditEntries.subject,
      before: auditEntries.before,
      after: auditEntries.after,
    })
    .from(auditEntries)
    .leftJoin(users, eq(users.id, auditEntries.actorId))
    .where(and(eq(auditEntries.programId, given("programId")), lt(auditEntries.id, given("before"))))
    .orderBy(desc(auditEntries.id))
    .limit(given("limit")),
);

export async function listAudit(
  database: Database,
  programId: number,
  before: number,
  limit: number,
): Promise<readonly AuditEntryView[]> {
  return (await readBatch(database, { found: page({ programId, before, limit }) })).found;
}
