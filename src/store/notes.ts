import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { notes } from "./schema/notes.ts";
import { everyColumn, insert } from "./statement.ts";

export type NoteRow = typeof notes.$inferSelect;

export const insertNote = insert<NoteRow>((db) => db.insert(notes).values(everyColumn(notes)));

/** Null for none, and for one that was erased. */
export const textOfNote = (id: SQLWrapper): SQL<string | null> =>
  sql<string | null>`(select n.text from notes n where n.id = ${id})`;

/** The note that an audit entry's `before` or `after` names. */
export const noteIn = (json: SQLWrapper, field: string): SQL<number | null> =>
  sql<number | null>`${json} ->> ${sql.raw(`'$.${field}.note'`)}`;
