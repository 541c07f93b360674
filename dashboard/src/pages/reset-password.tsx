import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { api, take } from "../api/client.ts";
import { useAction } from "../api/use-action.ts";
import { Button, ButtonLink } from "../components/button.tsx";
import { Form, TextField, type Values } from "../components/form.tsx";
import { NewPasswordField } from "../forms/new-password-field.tsx";
import { forgetLinkToken, linkToken } from "../link-token.ts";
import { useSignUpMode } from "../session.tsx";
import { Plain, PlainSkeleton } from "../shell/plain.tsx";
import { base } from "../url.ts";

const signIn = `${base}sign-in`;

export default function ResetPassword(): JSX.Element {
  const [token, setToken] = useState(linkToken("reset-password"));
  if (token === undefined) return <AskForLink />;
  const forget = () => {
    forgetLinkToken("reset-password");
    setToken(undefined);
  };
  return <NewPassword token={token} onUnusable={forget} />;
}

interface NewPasswordProps {
  readonly token: string;
  readonly onUnusable: () => void;
}

function NewPassword({ token, onUnusable }: NewPasswordProps): JSX.Element {
  const { route } = useLocation();
  const reset = useAction(
    ({ newPassword = "" }: Values) => take(api.auth["reset-password"].$post({ json: { token, newPassword } })),
    {
      failsIn: "form",
      refreshes: [""],
      done: "Password changed. Sign in with the new one.",
      onDone: () => {
        forgetLinkToken("reset-password");
        route(signIn, true);
      },
    },
  );
  const isUnusable = reset.failure?.status === 400 && reset.failure.fieldErrors.length === 0;
  return (
    <Plain title="Choose a new password" lead="You'll be signed out on all your devices.">
      <Form
        action={reset}
        submit="Change password"
        beside={isUnusable && <Button onClick={onUnusable}>Get a new link</Button>}
      >
        <NewPasswordField name="newPassword" label="New password" />
      </Form>
    </Plain>
  );
}

const toSignIn = (
  <div class="row">
    <ButtonLink href={signIn}>Sign in</ButtonLink>
  </div>
);

function AskForLink(): JSX.Element {
  const { data: mode } = useSignUpMode();
  const ask = useAction(
    async ({ email = "" }: Values) => {
      await take(api.auth["forgot-password"].$post({ json: { email, app: base === "/app/" ? "app" : "partner" } }));
      return email;
    },
    { failsIn: "form" },
  );
  if (mode === undefined) return <PlainSkeleton />;
  if (!mode.sendsMail) {
    return (
      <Plain title="Reset link not found">
        <p class="soft">Open the link you received again, or ask the operator of this service for a new one.</p>
        {toSignIn}
      </Plain>
    );
  }
  if (ask.result !== undefined) {
    return (
      <Plain title="Check your email">
        <p>
          If <span class="breakable">{ask.result}</span> has an account, we mailed it a link that sets a new password.
          It works once, within an hour.
        </p>
        <p class="soft">Nothing there? Look in your spam folder, and ask again in 5 minutes.</p>
        {toSignIn}
      </Plain>
    );
  }
  return (
    <Plain
      title="Forgot your password?"
      lead="We'll mail you a link to set a new password."
      foot={<a href={signIn}>Sign in</a>}
    >
      <Form action={ask} submit="Send link">
        <TextField name="email" label="Email" type="email" autocomplete="username" />
      </Form>
    </Plain>
  );
}
