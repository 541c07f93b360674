import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { GroupId, PartnerId } from "#domain/ids.ts";
import { id, instant } from "./columns.ts";
import { partners } from "./partners.ts";
import { programId } from "./programs.ts";

export const partnerGroups = sqliteTable(
  "partner_groups",
  {
    id: id<GroupId>(),
    programId: programId(),
    name: text("name").notNull(),
    createdAt: instant("created_at").notNull(),
  },
  (t) => [uniqueIndex("partner_groups_name").on(t.programId, sql`name collate nocase`)],
);

/**
 * Append-only. The group that the partner was in at a sale's `occurred_at` decides which policy applies to the sale. A
 * partner's newest row is the current group.
 */
export const groupMemberships = sqliteTable(
  "group_memberships",
  {
    programId: programId(),
    partnerId: integer("partner_id")
      .$type<PartnerId>()
      .notNull()
      .references(() => partners.id),
    /** Null if the partner is in no group from `effectiveFrom` on. */
    groupId: integer("group_id")
      .$type<GroupId>()
      .references(() => partnerGroups.id),
    /** 0 for the group in which the partner was created. */
    effectiveFrom: instant("effective_from").notNull(),
    /** Id of the operation that also wrote the audit entry. */
    operationId: text("operation_id").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.programId, t.partnerId, t.effectiveFrom] }),
    index("group_memberships_group").on(t.groupId, t.partnerId),
  ],
);
