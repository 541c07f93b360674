import { sql } from "drizzle-orm";
import { check, index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { flag, id, instant } from "./columns.ts";
import { workspaces } from "./workspaces.ts";

export const programs = sqliteTable(
  "programs",
  {
    id: id(),
    workspaceId: text("workspace_id")
      .notNull()
      .references(() => workspaces.id),
    name: text("name").notNull(),
    websiteUrl: text("website_url"),
    currency: text("currency").notNull(),
    timezone: text("timezone").notNull(),
    leadAuth: text("lead_auth", { enum: ["browser_allowed", "server_required"] }).notNull(),
    attributionModel: text("attribution_model", { enum: ["last_click", "first_click"] }).notNull(),
    attributionWindowDays: integer("attribution_window_days").notNull(),
    /** `lead`: only the lead must fall in the window. `first_sale`: the first sale too. */
    windowUntil: text("window_until", { enum: ["lead", "first_sale"] })
      .notNull()
      .default("lead"),
    /** Null: the attribution window. */
    cookieWindowDays: integer("cookie_window_days"),
    payoutMode: text("payout_mode", { enum: ["manual"] }),
    status: text("status", { enum: ["active", "paused"] }).notNull(),
    /** `status` is what an archived program returns to. */
    archivedAt: instant("archived_at"),
    createdAt: instant("created_at").notNull(),
  },
  (t) => [
    check("programs_currency", sql`length(${t.currency}) = 3`),
    check("programs_lead_auth", sql`${t.leadAuth} in ('browser_allowed', 'server_required')`),
    check("programs_attribution_model", sql`${t.attributionModel} in ('last_click', 'first_click')`),
    check("programs_attribution_window", sql`${t.attributionWindowDays} between 1 and 365`),
    check("programs_window_until", sql`${t.windowUntil} in ('lead', 'first_sale')`),
    check("programs_cookie_window", sql`${t.cookieWindowDays} between 1 and 365`),
    check("programs_status", sql`${t.status} in ('active', 'paused')`),
  ],
);

export const programId = () =>
  integer("program_id")
    .notNull()
    .references(() => programs.id);

export const book = () => ({ programId: programId(), isTest: flag("is_test") });

/** Retired keys stay for ever, so that the refusal tells a retired key from an unknown one. */
export const programKeys = sqliteTable(
  "program_keys",
  {
    id: id(),
    programId: programId(),
    hash: text("hash").notNull(),
    lastFour: text("last_four").notNull(),
    createdAt: instant("created_at").notNull(),
    retiresAt: instant("retires_at"),
    lastUsedAt: instant("last_used_at"),
  },
  (t) => [uniqueIndex("program_keys_hash").on(t.hash), index("program_keys_program").on(t.programId)],
);
