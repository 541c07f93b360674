import { and, eq, sql } from "drizzle-orm";
import { programKeys } from "./schema/programs.ts";
import { type Write, write } from "./statement.ts";

const isUsedLater = sql`coalesce(${programKeys.lastUsedAt}, 0) < used.value`;

const update = write<{ used: string }>((db) =>
  db
    .update(programKeys)
    .set({ lastUsedAt: sql`used.value` })
    .from(sql`json_each(${sql.placeholder("used")}) as used`)
    .where(and(eq(programKeys.id, sql`cast(used.key as integer)`), isUsedLater)),
);

/** Keys by their id, with the hour (its start, ms) of their last use; an earlier hour than the stored one is ignored. */
export const updateKeyUse = (hours: ReadonlyMap<number, number>): Write =>
  update({ used: JSON.stringify(Object.fromEntries(hours)) });
