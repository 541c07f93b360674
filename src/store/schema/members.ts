import { check, index, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { memberStatuses, roles } from "#domain/role.ts";
import { id, instant } from "./columns.ts";
import { oneOf } from "./one-of.ts";
import { users } from "./users.ts";
import { workspaces } from "./workspaces.ts";

// This file is separate from workspaces.ts because tracking calls import programs and workspaces, but no accounts.

export const memberships = sqliteTable(
  "memberships",
  {
    id: text("id").primaryKey(),
    workspaceId: text("workspace_id")
      .notNull()
      .references(() => workspaces.id),
    userId: text("user_id").notNull(),
    role: text("role", { enum: roles }).notNull(),
    status: text("status", { enum: memberStatuses }).notNull(),
    createdAt: instant("created_at").notNull(),
  },
  (t) => [
    uniqueIndex("memberships_place").on(t.workspaceId, t.userId),
    check("memberships_role", oneOf(t.role, roles.toReversed())),
    check("memberships_status", oneOf(t.status, memberStatuses)),
  ],
);

/** Each invitation makes one user a member. Only a digest of the token is stored. */
export const invitations = sqliteTable(
  "invitations",
  {
    id: text("id").primaryKey(),
    workspaceId: text("workspace_id")
      .notNull()
      .references(() => workspaces.id),
    tokenHash: text("token_hash").notNull(),
    /** Null if an earlier release created the invitation. */
    email: text("email"),
    role: text("role", { enum: roles }).notNull(),
    invitedBy: text("invited_by")
      .notNull()
      .references(() => users.id),
    expiresAt: instant("expires_at").notNull(),
    acceptedAt: instant("accepted_at"),
    revokedAt: instant("revoked_at"),
    createdAt: instant("created_at").notNull(),
  },
  (t) => [
    uniqueIndex("invitations_token").on(t.tokenHash),
    index("invitations_workspace").on(t.workspaceId),
    index("invitations_expires").on(t.expiresAt),
    check("invitations_role", oneOf(t.role, roles.toReversed())),
  ],
);

/** Append-only: rows are never updated or deleted. */
export const workspaceAuditEntries = sqliteTable(
  "workspace_audit_entries",
  {
    id: id(),
    workspaceId: text("workspace_id")
      .notNull()
      .references(() => workspaces.id),
    /** Unique, so that a retried request adds no second entry. */
    operationId: text("operation_id").notNull(),
    actorId: text("actor_id").notNull(),
    action: text("action").notNull(),
    subject: text("subject").notNull(),
    /**
     * JSON. It has the ids of people instead of names and email addresses, which are looked up when entries are read.
     */
    before: text("before"),
    after: text("after"),
    createdAt: instant("created_at").notNull(),
  },
  (t) => [
    uniqueIndex("workspace_audit_entries_operation").on(t.operationId),
    index("workspace_audit_entries_workspace").on(t.workspaceId),
  ],
);
