import type { JSX } from "preact";
import { Dialog } from "../../components/dialog.tsx";
import { Form, type Values } from "../../components/form.tsx";
import { NoteFields, notesOf } from "../../forms/note-fields.tsx";
import { type DecisionDialogProps, sizeOf } from "./decide.ts";
import { Totals } from "./totals.tsx";

export function HoldDialog({ asked, decide, onClose }: DecisionDialogProps): JSX.Element {
  const size = sizeOf(asked);
  const what = size === 1 ? "commission" : `${size} commissions`;
  const hold = { ...decide, run: (values: Values) => decide.run({ ...asked, notes: notesOf(values) }) };
  return (
    <Dialog title={`Hold ${what} for review?`} onClose={onClose}>
      <p>
        <Totals of={asked.commissions} /> won't be paid until someone on your team releases {size === 1 ? "it" : "them"}
        , even once the hold period is over.
      </p>
      <Form action={hold} submit={`Hold ${what}`} onCancel={onClose}>
        <NoteFields
          notes={asked.notes}
          noteHint="After the hold period, the partner sees this note on the commission."
        />
      </Form>
    </Dialog>
  );
}
