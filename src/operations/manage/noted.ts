import type { ProgramId } from "#domain/ids.ts";
import { type NoteField, noteKindOf } from "#domain/note.ts";
import { insertNote } from "#store/notes.ts";
import type { Write } from "#store/statement.ts";
import type { Context } from "../operation.ts";

/**
 * Refers to a note from an audit entry. The text is in the note, because audit entries are never deleted and texts may
 * have to be erased.
 */
export interface NoteReference {
  readonly note: number;
}

type Texts = { readonly [Field in NoteField]?: string | null | undefined };

type Named<T extends Texts> = {
  readonly [Field in keyof T]: NoteReference | (T[Field] extends string ? never : undefined);
};

interface Noted<T extends Texts> {
  readonly writes: readonly Write[];
  /** References to the stored texts, for the audit entry of `subject`. */
  readonly named: Named<T>;
}

export function noted<T extends Texts>(
  about: { readonly programId: ProgramId; readonly subject: string },
  texts: T,
  { newId }: Context,
): Noted<T> {
  const writes: Write[] = [];
  const nameOf = (field: NoteField, text: string): NoteReference => {
    const id = newId("notes");
    writes.push(insertNote({ ...about, id, kind: noteKindOf(field), text }));
    return { note: id };
  };
  const named = Object.fromEntries(
    Object.entries(texts).flatMap(([field, text]) => (text == null ? [] : [[field, nameOf(field as NoteField, text)]])),
  ) as Named<T>;
  return { writes, named };
}
