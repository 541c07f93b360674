import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { api, sessionEnded, take } from "../api/client.ts";
import { useSignal } from "../api/signal.ts";
import { useAction } from "../api/use-action.ts";
import { refresh } from "../api/use-query.ts";
import { Button } from "../components/button.tsx";
import { Form, TextField, type Values } from "../components/form.tsx";
import { CodeField } from "../forms/code-field.tsx";
import { signUpToken } from "../link-token.ts";
import { openUrl, useSession, useSignUpMode } from "../session.tsx";
import { Plain } from "../shell/plain.tsx";
import { addressWith, base, returnAddress } from "../url.ts";

/**
 * Returns a function to call after signing in. The function drops all cached replies, since they are those of a
 * signed-out user.
 */
export function useAfterSignIn(): () => void {
  const { query, route } = useLocation();
  return () => {
    sessionEnded.set(false);
    refresh("");
    route(returnAddress(query.return), true);
  };
}

/** Signs in at the identity provider. If the person was invited, sends the invitation's token along. */
export function ProviderButton({ returnTo }: { readonly returnTo: string }): JSX.Element | null {
  const provider = useSignUpMode().data?.provider;
  const begin = useAction(() => take(api.auth.oidc.$post({ json: { returnTo, invitation: signUpToken() } })), {
    onDone: openUrl,
  });
  if (!provider) return null;
  return (
    <div class="row">
      <Button
        look={provider.required ? "primary" : "secondary"}
        isPending={begin.isPending}
        onClick={() => begin.run(undefined)}
      >
        Continue with {provider.name}
      </Button>
    </div>
  );
}

export default function SignIn(): JSX.Element {
  const { query, route } = useLocation();
  const { data: mode } = useSignUpMode();
  const onDone = useAfterSignIn();
  const { data: session } = useSession();
  const isEnded = useSignal(sessionEnded);
  useEffect(() => {
    if (session && !isEnded) route(returnAddress(query.return), true);
  }, [session, isEnded]);
  const [needsCode, setNeedsCode] = useState(query.step === "code");
  const signIn = useAction(
    ({ email = "", password = "" }: Values) => take(api.auth["sign-in"].email.$post({ json: { email, password } })),
    { onDone: (reply) => ("twoFactorRequired" in reply ? setNeedsCode(true) : onDone()), failsIn: "form" },
  );
  if (needsCode) return <SecondStep onDone={onDone} onBack={() => setNeedsCode(false)} />;
  const address = addressWith(`${base}sign-up`, query);
  return (
    <Plain
      title="Sign in"
      lead={query.return === undefined ? undefined : "Sign in to continue."}
      foot={
        <>
          {(mode?.signUp === "open" || signUpToken() !== undefined) && (
            <p>
              New here? <a href={address}>Create an account</a>
            </p>
          )}
          <p>
            {mode?.sendsMail ? (
              <a href={`${base}reset-password`}>Forgot your password?</a>
            ) : (
              "Forgot your password? Ask the operator of this service for a reset link."
            )}
          </p>
        </>
      }
    >
      <ProviderButton returnTo={returnAddress(query.return)} />
      <Form action={signIn} submit="Sign in">
        <TextField name="email" label="Email" type="email" autocomplete="username" />
        <TextField name="password" label="Password" type="password" autocomplete="current-password" />
      </Form>
    </Plain>
  );
}

interface SecondStepProps {
  readonly onDone: () => void;
  readonly onBack: () => void;
}

function SecondStep({ onDone, onBack }: SecondStepProps): JSX.Element {
  const signIn = useAction(({ code = "" }: Values) => take(api.auth["sign-in"].totp.$post({ json: { code } })), {
    onDone,
    failsIn: "form",
  });
  return (
    <Plain
      title="Enter your code"
      lead="Your account has two-factor authentication."
      foot={<p>Lost your phone and your recovery codes? Ask the operator of this service.</p>}
    >
      <Form action={signIn} submit="Sign in" beside={<Button onClick={onBack}>Back</Button>}>
        <CodeField />
      </Form>
    </Plain>
  );
}
