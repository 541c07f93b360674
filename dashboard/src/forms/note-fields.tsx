import type { JSX } from "preact";
import { TextField, type Values } from "../components/form.tsx";

export const NoteFields = (): JSX.Element => (
  <>
    <TextField name="reason" label="Reason" hint="Only your team sees it, in the audit log." />
    <TextField name="partnerNote" label="Note to the partner" hint="Appears on their statement." isOptional />
  </>
);

export const notesOf = ({ reason = "", partnerNote = "" }: Values) => ({
  reason,
  ...(partnerNote.trim() !== "" && { partnerNote }),
});

export type Notes = ReturnType<typeof notesOf>;
