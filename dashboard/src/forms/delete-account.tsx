import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { api, take } from "../api/client.ts";
import { useAction } from "../api/use-action.ts";
import { Button } from "../components/button.tsx";
import { Dialog } from "../components/dialog.tsx";
import { Form, type Values } from "../components/form.tsx";
import { leaveSignedOut } from "../session.tsx";
import { ProofFields, proofOf } from "./proof-fields.tsx";

export function DeleteAccount(): JSX.Element {
  const [isOpen, setIsOpen] = useState(false);
  const close = () => setIsOpen(false);
  const remove = useAction((values: Values) => take(api.auth.user.$delete({ json: proofOf(values) })), {
    failsIn: "form",
    onDone: leaveSignedOut,
  });
  return (
    <>
      <Button onClick={() => setIsOpen(true)}>Delete my account…</Button>
      {isOpen && (
        <Dialog title="Delete your account?" onClose={close}>
          <Form action={remove} submit="Delete account" submitLook="destructive" onCancel={close}>
            <p>
              Your name, email address, password, access and payment details are deleted. Programs keep your commissions
              and payouts. You can't undo this.
            </p>
            <ProofFields />
          </Form>
        </Dialog>
      )}
    </>
  );
}
