import { sqliteTable, text } from "drizzle-orm/sqlite-core";
import { flag, instant } from "./columns.ts";

export const workspaces = sqliteTable("workspaces", {
  id: text("id").primaryKey(),
  name: text("name").notNull(),
  /** If true, members without a second factor have read access only. */
  requireTwoFactor: flag("require_two_factor").default(false),
  createdAt: instant("created_at").notNull(),
});
