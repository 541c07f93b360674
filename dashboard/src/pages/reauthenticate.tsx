import type { JSX } from "preact";
import { useLocation } from "preact-iso/router";
import { api, take } from "../api/client.ts";
import { reauthentication } from "../api/reauthentication.ts";
import { useSignal } from "../api/signal.ts";
import { useAction } from "../api/use-action.ts";
import { Button } from "../components/button.tsx";
import { Dialog } from "../components/dialog.tsx";
import { Form, TextField, type Values } from "../components/form.tsx";
import { CodeField } from "../forms/code-field.tsx";
import { openUrl, useSession, useSignUpMode } from "../session.tsx";

export default function Reauthenticate(): JSX.Element | null {
  const answer = useSignal(reauthentication);
  return answer === undefined ? null : <Question answer={answer} />;
}

/** Opens the identity provider's page, which then returns to this page. */
function ByProvider({ answer }: { readonly answer: (isConfirmed: boolean) => void }): JSX.Element {
  const name = useSignUpMode().data?.provider?.name ?? "your identity provider";
  const { url } = useLocation();
  const confirm = useAction(() => take(api.auth.oidc.confirm.$post({ json: { returnTo: url } })), { onDone: openUrl });
  return (
    <Dialog title="Confirm it's you" onClose={() => answer(false)}>
      <p class="soft">
        Sign in at {name} again. You return to this page, but what you entered here isn't kept. Then repeat what you
        were about to do.
      </p>
      <div class="row">
        <Button look="primary" isPending={confirm.isPending} onClick={() => confirm.run(undefined)}>
          Continue with {name}
        </Button>
        <Button onClick={() => answer(false)}>Cancel</Button>
      </div>
    </Dialog>
  );
}

function Question({ answer }: { readonly answer: (isConfirmed: boolean) => void }): JSX.Element {
  const { data } = useSession();
  const hasCode = data?.user.twoFactor === true;
  if (data?.session.byProvider && !hasCode) return <ByProvider answer={answer} />;
  return <Proof hasCode={hasCode} answer={answer} />;
}

interface ProofProps {
  readonly hasCode: boolean;
  readonly answer: (isConfirmed: boolean) => void;
}

function Proof({ hasCode, answer }: ProofProps): JSX.Element {
  const confirm = useAction(
    ({ password, code }: Values) =>
      take(api.auth.reauthenticate.$post({ json: hasCode ? { code: code ?? "" } : { password: password ?? "" } })),
    { failsIn: "form", onDone: () => answer(true) },
  );
  return (
    <Dialog title="Confirm it's you" onClose={() => answer(false)}>
      <p class="soft">You signed in more than an hour ago. Your action continues once you have confirmed.</p>
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
