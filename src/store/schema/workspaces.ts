import { sqliteTable, text } from "drizzle-orm/sqlite-core";
import { flag, instant } from "./columns.ts";

export const workspaces = sqliteTable("workspaces", {
  id: text("id").primaryKey(),
  name: text("name").notNull(),
  /** If true, members have read access only, unless they or their identity provider use a second factor. */
  requireTwoFactor: flag("require_two_factor").default(false),
  createdAt: instant("created_at").notNull(),
});
