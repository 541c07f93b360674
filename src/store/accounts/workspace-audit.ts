import { and, desc, eq, lt, notExists, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { alias, type SQLiteTable } from "drizzle-orm/sqlite-core";
import { type Database, readOne } from "../database.ts";
import { workspaceAuditEntries as entries, invitations } from "../schema/members.ts";
import { users } from "../schema/users.ts";
import { type Compiler, given, type RowOf, readAll, readFirst, unencoded } from "../statement.ts";
import { addressOf } from "./deleted-users.ts";

export type Actor = {
  readonly operationId: string;
  readonly actorId: string;
  readonly at: number;
};

interface Change {
  readonly workspaceId: SQLWrapper;
  readonly action: string | SQL;
  readonly subject: SQL;
  /** JSON. It has the ids of people, whose names and addresses are looked up when entries are read. */
  readonly before?: SQL;
  readonly after?: SQL;
}

/** The columns of an audit entry for `insert … select`. The statement's values must include the fields of `Actor`. */
export const entryOf = ({ workspaceId, action, subject, before = sql`null`, after = sql`null` }: Change) => ({
  id: sql<number>`null`.as("id"),
  workspaceId: sql<string>`${workspaceId}`.as("workspace_id"),
  operationId: sql<string>`${unencoded("operationId")}`.as("operation_id"),
  actorId: sql<string>`${unencoded("actorId")}`.as("actor_id"),
  action: sql<string>`${action}`.as("action"),
  subject: sql<string>`${subject}`.as("subject"),
  before: sql<string | null>`${before}`.as("before"),
  after: sql<string | null>`${after}`.as("after"),
  createdAt: sql<number>`${unencoded("at")}`.as("created_at"),
});

const ofOperation = () => eq(entries.operationId, given("operationId"));

const isFirstTime = (db: Compiler) => notExists(db.select({ id: entries.id }).from(entries).where(ofOperation()));

/** Inserts an audit entry for each row of the table that meets the condition. A retried batch adds no second entry. */
export const insertEntryOf = (db: Compiler, table: SQLiteTable, condition: SQL | undefined, change: Change) =>
  db.insert(entries).select(
    db
      .select(entryOf(change))
      .from(table)
      .where(and(condition, isFirstTime(db))),
  );

/**
 * Condition for the statement directly after the insert of the audit entry: the change is applied only if the entry was
 * just written. So a retried batch never overwrites a later change.
 */
export const ifEntryWritten = sql`changes() = 1`;

/** The audit entry of a request. If it exists, the request's change was applied. */
export const entryOfOperation = readFirst<{ operationId: string }, { id: number }>((db) =>
  db.select({ id: entries.id }).from(entries).where(ofOperation()),
);

function selectEntries(db: Compiler) {
  const member = alias(users, "member");
  const memberId = sql`json_extract(coalesce(${entries.before}, ${entries.after}), '$.userId')`;
  const invitationId = sql`substr(${entries.subject}, length('invitation ') + 1)`;
  return db
    .select({
      id: entries.id,
      createdAt: entries.createdAt,
      actorId: entries.actorId,
      actorName: users.name,
      actorEmail: addressOf(users.email),
      action: entries.action,
      subject: entries.subject,
      subjectName: member.name,
      subjectEmail: sql<string | null>`coalesce(${addressOf(member.email)}, ${invitations.email})`,
      before: entries.before,
      after: entries.after,
    })
    .from(entries)
    .leftJoin(users, eq(users.id, entries.actorId))
    .leftJoin(member, eq(member.id, memberId))
    .leftJoin(invitations, and(eq(invitations.id, invitationId), eq(invitations.workspaceId, entries.workspaceId)));
}
type WorkspaceEntry = RowOf<typeof selectEntries>;

const page = readAll<{ workspaceId: string; before: number; limit: number }, WorkspaceEntry>((db) =>
  selectEntries(db)
    .where(and(eq(entries.workspaceId, given("workspaceId")), lt(entries.id, given("before"))))
    .orderBy(desc(entries.id))
    .limit(given("limit")),
);

export async function listWorkspaceAudit(
  database: Database,
  workspaceId: string,
  before: number,
  limit: number,
): Promise<readonly WorkspaceEntry[]> {
  return await readOne(database, page({ workspaceId, before, limit }));
}
