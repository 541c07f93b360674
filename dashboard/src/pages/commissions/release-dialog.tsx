import type { JSX } from "preact";
import { Dialog } from "../../components/dialog.tsx";
import { Form, filled, TextField, type Values } from "../../components/form.tsx";
import { nameInText } from "../../named-by-code.ts";
import { type DecisionDialogProps, sizeOf } from "./decide.ts";
import { Totals } from "./totals.tsx";

export function ReleaseDialog({ asked, decide, onClose }: DecisionDialogProps): JSX.Element {
  const { commissions } = asked;
  const size = sizeOf(asked);
  const what = size === 1 ? "commission" : `${size} commissions`;
  const [first] = commissions;
  const release = { ...decide, run: ({ note }: Values) => decide.run({ ...asked, note: filled(note) }) };
  return (
    <Dialog title={`Release ${what}?`} onClose={onClose}>
      <p class="breakable">
        {size > 1 ? "Partners are" : `${nameInText(first?.partnerName ?? "The partner")} is`} paid{" "}
        <Totals of={commissions} /> once the hold period is over, or with the next payout if it already is.
      </p>
      <Form action={release} submit={`Release ${what}`} onCancel={onClose}>
        <TextField name="note" label="Note" hint="Only your team sees it, in the audit trail." isOptional />
      </Form>
    </Dialog>
  );
}
