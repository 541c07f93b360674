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

/** Append-only: the group at a sale's `occurred_at` counts. A partner's newest row is the current one. */
export const groupMemberships = sqliteTable(
  "group_memberships",
  {
    programId: programId(),
    partnerId: integer("partner_id")
      .$type<PartnerId>()
      .notNull()
      .references(() => partners.id),
    /** Null: in no group from then on. */
    groupId: integer("group_id")
      .$type<GroupId>()
      .references(() => partnerGroups.id),
    /** 0 for the group that the partner was created with. */
    effectiveFrom: instant("effective_from").notNull(),
    /** The operation of its audit entry. */
    operationId: text("operation_id").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.programId, t.partnerId, t.effectiveFrom] }),
    index("group_memberships_group").on(t.groupId, t.partnerId),
  ],
);
