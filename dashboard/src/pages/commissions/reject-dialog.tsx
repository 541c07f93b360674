import type { JSX } from "preact";
import { Dialog } from "../../components/dialog.tsx";
import { Form, type Values } from "../../components/form.tsx";
import { NoteFields, notesOf } from "../../forms/note-fields.tsx";
import { type DecisionDialogProps, sizeOf } from "./decide.ts";
import { DecisionProgress } from "./progress.tsx";
import { Totals } from "./totals.tsx";

export function RejectDialog({ asked, decide, onClose }: DecisionDialogProps): JSX.Element {
  const { commissions, matching } = asked;
  const size = sizeOf(asked);
  const what = size === 1 ? "commission" : `${size} commissions`;
  const [first] = commissions;
  const reject = {
    ...decide,
    run: (values: Values) => decide.run({ ...asked, notes: notesOf(values) }),
  };
  return (
    <Dialog title={`Reject ${what}?`} onClose={onClose}>
      <p class="breakable">
        {size > 1 ? "Partners" : (first?.partnerName ?? "The partner")} won't be paid{" "}
        <Totals of={matching?.totals ?? commissions} /> for {size > 1 ? `these ${size} orders` : "this order"}. You
        can't undo this.
      </p>
      <DecisionProgress decide={decide} />
      <Form action={reject} submit={`Reject ${what}`} submitLook="destructive" onCancel={onClose}>
        <NoteFields notes={asked.notes} />
      </Form>
    </Dialog>
  );
}
