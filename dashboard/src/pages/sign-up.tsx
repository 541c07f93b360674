import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { api, take } from "../api/client.ts";
import { Failure } from "../api/failure.ts";
import { useAction } from "../api/use-action.ts";
import { useQuery } from "../api/use-query.ts";
import { Button, ButtonLink } from "../components/button.tsx";
import { Form, TextField, type Values } from "../components/form.tsx";
import { NewPasswordField } from "../forms/new-password-field.tsx";
import { forgetLinkToken, linkToken, signUpToken } from "../link-token.ts";
import { nameInText } from "../named-by-code.ts";
import { useSignUpMode } from "../session.tsx";
import { Plain, PlainSkeleton } from "../shell/plain.tsx";
import { UnlessSignedIn } from "../shell/unless-signed-in.tsx";
import { returnAddress } from "../url.ts";
import { useInvitation } from "./invitation.tsx";
import { ProviderButton, useAfterSignIn } from "./sign-in.tsx";

const usedUp = "This invitation is invalid, expired or already used";

/** Reads whether the operator's link still works. */
const useSignUpLink = (token: string | undefined) =>
  useQuery(
    `sign-up link ${token}`,
    async (signal) =>
      token === undefined || take(api.auth["sign-up"].check.$post({ json: { token } }, { init: { signal } })),
  );

function forgetTokens(): void {
  forgetLinkToken("invitation");
  forgetLinkToken("sign-up");
}

const SignUp = (): JSX.Element => (
  <UnlessSignedIn>
    <NewAccount />
  </UnlessSignedIn>
);
export default SignUp;

function NewAccount(): JSX.Element {
  const { query } = useLocation();
  const mode = useSignUpMode().data?.signUp;
  const arrive = useAfterSignIn();
  const { data: invited } = useInvitation(linkToken("invitation"));
  const invitation = signUpToken();
  const [operatorsToken, setOperatorsToken] = useState(() =>
    linkToken("invitation") === undefined ? invitation : undefined,
  );
  const link = useSignUpLink(operatorsToken);
  const isChecking = operatorsToken !== undefined && link.data === undefined && link.failure === undefined;
  const signUp = useAction(
    async ({ name = "", email = "", password = "" }: Values) => {
      try {
        return await take(api.auth["sign-up"].email.$post({ json: { name, email, password, invitation } }));
      } catch (error) {
        // A used-up link must not block signing up without one.
        if (error instanceof Failure && error.message === usedUp) forgetTokens();
        throw error;
      }
    },
    {
      failsIn: "form",
      onDone: () => {
        forgetTokens();
        arrive();
      },
    },
  );
  const address = query.return === undefined ? "/app/sign-in" : `/app/sign-in?${new URLSearchParams(query)}`;
  const foot = (
    <>
      Already have an account? <a href={address}>Sign in</a>
    </>
  );
  if ((invitation === undefined && mode === undefined) || isChecking) return <PlainSkeleton />;
  if (link.failure?.status === 400) {
    return (
      <Plain title="This link no longer works">
        <p class="soft">
          It was already used, or has expired. An operator makes another with <code>tributary invite-owner</code>.
        </p>
        <div class="row">
          <ButtonLink href={address}>Sign in</ButtonLink>
          {mode === "open" && (
            <Button
              onClick={() => {
                forgetTokens();
                setOperatorsToken(undefined);
              }}
            >
              Create an account without it
            </Button>
          )}
        </div>
      </Plain>
    );
  }
  if (invitation === undefined && mode === "invited") {
    return (
      <Plain title="Sign-up is by invitation only">
        <p class="soft">Ask an owner of your workspace to invite you, then open the link they give you.</p>
        <div class="row">
          <a href={address}>Sign in</a>
        </div>
      </Plain>
    );
  }
  return (
    <Plain
      title="Create your account"
      lead={
        invited === undefined
          ? "Start tracking clicks, leads, sales and commissions in a few minutes."
          : `You've been invited to ${nameInText(invited.workspaceName)}.`
      }
      foot={foot}
    >
      <ProviderButton returnTo={returnAddress(query.return)} />
      <Form action={signUp} submit="Create account">
        <TextField name="name" label="Name" autocomplete="name" />
        <TextField name="email" label="Email" type="email" autocomplete="username" />
        <NewPasswordField name="password" label="Password" />
      </Form>
    </Plain>
  );
}
