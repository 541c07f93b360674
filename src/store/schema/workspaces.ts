import { sqliteTable, text } from "drizzle-orm/sqlite-core";
import { flag, instant } from "./columns.ts";

export const workspaces = sqliteTable("workspaces", {
  id: text("id").primaryKey(),
  name: text("name").notNull(),
  /** Members without a second factor only read. */
  requireTwoFactor: flag("require_two_factor").default(false),
  createdAt: instant("created_at").notNull(),
});
