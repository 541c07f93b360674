import { check, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { NoteId } from "#domain/ids.ts";
import { noteKinds } from "#domain/note.ts";
import { id } from "./columns.ts";
import { oneOf } from "./one-of.ts";
import { programId } from "./programs.ts";

/**
 * Texts about people, to which audit entries refer by id. Append-only, except that erasures and retention set the text
 * to null.
 */
export const notes = sqliteTable(
  "notes",
  {
    id: id<NoteId>(),
    programId: programId(),
    kind: text("kind", { enum: noteKinds }).notNull(),
    /** The subject of the audit entry that refers to this note. */
    subject: text("subject").notNull(),
    text: text("text"),
  },
  (t) => [check("notes_kind", oneOf(t.kind, noteKinds))],
);
