import type { JSX } from "preact";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Form, TextField, type Values } from "../../components/form.tsx";
import type { Decidable, Decide } from "./decide.ts";
import { Totals } from "./totals.tsx";

interface RejectDialogProps {
  readonly commissions: readonly Decidable[];
  readonly decide: Decide;
  readonly onClose: () => void;
}

export function RejectDialog({ commissions, decide, onClose }: RejectDialogProps): JSX.Element {
  const what = commissions.length === 1 ? "commission" : `${commissions.length} commissions`;
  const [first, ...others] = commissions;
  const reject = {
    ...decide,
    run: ({ reason = "" }: Values) => decide.run({ verb: "reject", commissions, reason }),
  };
  return (
    <Dialog title={`Reject ${what}?`} onClose={onClose}>
      <p class="breakable">
        {others.length > 0 ? "Partners" : (first?.partnerName ?? "The partner")} won't be paid{" "}
        <Totals of={commissions} /> for {others.length > 0 ? `these ${commissions.length} orders` : "this order"}. You
        can't undo this.
      </p>
      <Form
        action={reject}
        submit={`Reject ${what}`}
        submitLook="destructive"
        beside={<Button onClick={onClose}>Cancel</Button>}
      >
        <TextField name="reason" label="Reason" hint="Visible to your team in the audit trail." />
      </Form>
    </Dialog>
  );
}
