import { sql } from "drizzle-orm";
import { check, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { flag, instant } from "./columns.ts";
import { programId } from "./programs.ts";

/** The program's referral page inside the integrator's product. */
export const embeds = sqliteTable(
  "embeds",
  {
    programId: programId().primaryKey(),
    /** Ends the page's address. It never changes. */
    embedId: text("embed_id").notNull(),
    /** JSON array of the origins whose pages may contain the page. */
    origins: text("origins").notNull(),
    /** JSON object, `EmbedTheme`. */
    theme: text("theme").notNull(),
    showCommissions: flag("show_commissions"),
    showPayouts: flag("show_payouts"),
    showClaims: flag("show_claims"),
    /** Tokens issued up to this instant are refused. */
    tokensEndedAt: instant("tokens_ended_at"),
  },
  (t) => [
    check("embeds_origins", sql`json_type(${t.origins}) = 'array'`),
    check("embeds_theme", sql`json_type(${t.theme}) = 'object'`),
  ],
);
