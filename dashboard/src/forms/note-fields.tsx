import type { JSX } from "preact";
import { TextField, type Values } from "../components/form.tsx";

interface NoteFieldsProps {
  /** A hint where the partner sees the note. */
  readonly noteHint?: string;
  /** Values that the fields start with. */
  readonly notes?: Notes | undefined;
}

export const NoteFields = ({ noteHint = "Appears on their statement.", notes }: NoteFieldsProps): JSX.Element => (
  <>
    <TextField
      name="reason"
      label="Reason"
      hint="Only your team sees this reason, in the audit trail."
      value={notes?.reason}
    />
    <TextField name="partnerNote" label="Note to the partner" hint={noteHint} value={notes?.partnerNote} isOptional />
  </>
);

export const notesOf = ({ reason = "", partnerNote = "" }: Values) => ({
  reason,
  ...(partnerNote.trim() !== "" && { partnerNote }),
});

export type Notes = { readonly reason: string; readonly partnerNote?: string };
