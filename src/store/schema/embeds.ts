import { sql } from "drizzle-orm";
import { check, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { flag, instant } from "./columns.ts";
import { programId } from "./programs.ts";

/** The referral pages that programs show inside their own products. */
export const embeds = sqliteTable(
  "embeds",
  {
    programId: programId().primaryKey(),
    /** The last part of the page's address. Never changes. */
    embedId: text("embed_id").notNull(),
    /** JSON array of the origins that can frame the page. */
    origins: text("origins").notNull(),
    /** JSON object of type `EmbedTheme`. */
    theme: text("theme").notNull(),
    showCommissions: flag("show_commissions"),
    showPayouts: flag("show_payouts"),
    showClaims: flag("show_claims"),
    /** Tokens issued at or before this instant are refused. */
    tokensEndedAt: instant("tokens_ended_at"),
  },
  (t) => [
    check("embeds_origins", sql`json_type(${t.origins}) = 'array'`),
    check("embeds_theme", sql`json_type(${t.theme}) = 'object'`),
  ],
);
