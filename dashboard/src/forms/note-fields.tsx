import type { JSX } from "preact";
import { TextField, type Values } from "../components/form.tsx";

interface NoteFieldsProps {
  /** A hint where the partner sees the note. */
  readonly noteHint?: string;
}

export const NoteFields = ({ noteHint = "Appears on their statement." }: NoteFieldsProps): JSX.Element => (
  <>
    <TextField name="reason" label="Reason" hint="Only your team sees this reason, in the audit trail." />
    <TextField name="partnerNote" label="Note to the partner" hint={noteHint} isOptional />
  </>
);

export const notesOf = ({ reason = "", partnerNote = "" }: Values) => ({
  reason,
  ...(partnerNote.trim() !== "" && { partnerNote }),
});

export type Notes = ReturnType<typeof notesOf>;
