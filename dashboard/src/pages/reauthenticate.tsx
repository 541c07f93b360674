import type { JSX } from "preact";
import { api, take } from "../api/client.ts";
import { reauthentication } from "../api/reauthentication.ts";
import { useSignal } from "../api/signal.ts";
import { useAction } from "../api/use-action.ts";
import { Dialog } from "../components/dialog.tsx";
import { Form, TextField, type Values } from "../components/form.tsx";
import { CodeField } from "../forms/code-field.tsx";
import { useSession } from "../session.tsx";

export default function Reauthenticate(): JSX.Element | null {
  const answer = useSignal(reauthentication);
  return answer === undefined ? null : <Question answer={answer} />;
}

function Question({ answer }: { readonly answer: (isConfirmed: boolean) => void }): JSX.Element {
  const hasCode = useSession().data?.user.twoFactor === true;
  const confirm = useAction(
    ({ password, code }: Values) =>
      take(api.auth.reauthenticate.$post({ json: hasCode ? { code: code ?? "" } : { password: password ?? "" } })),
    { failsIn: "form", onDone: () => answer(true) },
  );
  return (
    <Dialog title="Confirm it's you" onClose={() => answer(false)}>
      <p class="soft">You signed in more than an hour ago. What you are about to do continues afterwards.</p>
      <Form action={confirm} submit="Confirm" onCancel={() => answer(false)}>
        {hasCode ? (
          <CodeField />
        ) : (
          <TextField name="password" label="Password" type="password" autocomplete="current-password" />
        )}
      </Form>
    </Dialog>
  );
}
