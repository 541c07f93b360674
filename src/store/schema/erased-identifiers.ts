import { primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { erasures } from "./erasures.ts";
import { programId } from "./programs.ts";

/** Keyed digests of erased identifiers. They match a later call that contains an erased identifier. */
export const erasedIdentifiers = sqliteTable(
  "erased_identifiers",
  {
    programId: programId(),
    digest: text("digest").notNull(),
    erasureId: text("erasure_id")
      .notNull()
      .references(() => erasures.id),
  },
  (t) => [primaryKey({ columns: [t.programId, t.digest] })],
);
