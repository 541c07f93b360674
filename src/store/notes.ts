import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { notes } from "./schema/notes.ts";
import { everyColumn, insert } from "./statement.ts";

export type NoteRow = typeof notes.$inferSelect;

export const insertNote = insert<NoteRow>((db) => db.insert(notes).values(everyColumn(notes)));

/** Null if there is no note, or its text was erased. */
export const textOfNote = (id: SQLWrapper): SQL<string | null> =>
  sql<string | null>`(select n.text from notes n where n.id = ${id})`;

/** The id of the note to which a field of an audit entry's `before` or `after` refers. */
export const noteIn = (json: SQLWrapper, field: string): SQL<number | null> =>
  sql<number | null>`${json} ->> ${sql.raw(`'$.${field}.note'`)}`;
