import type { JSX } from "preact";
import { useLocation } from "preact-iso/router";
import { api, take } from "../../api/client.ts";
import { useAction } from "../../api/use-action.ts";
import { ButtonLink } from "../../components/button.tsx";
import { Form, TextField, type Values } from "../../components/form.tsx";
import { NewPasswordField } from "../../forms/new-password-field.tsx";
import { linkToken } from "../../link-token.ts";
import { useAfterSignIn } from "../../pages/sign-in.tsx";
import { Plain } from "../../shell/plain.tsx";
import { UnlessSignedIn } from "../../shell/unless-signed-in.tsx";
import { addressWith } from "../../url.ts";
import { joinAddress } from "../join-link.ts";
import { usePartnerInvitation } from "./invitation.tsx";

const SignUp = (): JSX.Element => (
  <UnlessSignedIn>
    <ToSignUp />
  </UnlessSignedIn>
);
export default SignUp;

function ToSignUp(): JSX.Element {
  const { query } = useLocation();
  const invitation = linkToken("invitation");
  const signIn = addressWith("/partner/sign-in", query);
  // An account needs no invitation to apply to a program.
  const isToApply = query.return?.startsWith(joinAddress("")) === true;
  if (invitation === undefined && !isToApply) return <NotInvited signIn={signIn} />;
  const joinPage = isToApply ? query.return?.slice(joinAddress("").length).replace(/[?#].*/s, "") : undefined;
  return <NewAccount token={invitation} joinPage={joinPage} signIn={signIn} />;
}

const NotInvited = ({ signIn }: { readonly signIn: string }): JSX.Element => (
  <Plain title="Open your invitation first">
    <p class="soft">
      A program invites its partners with a link. Open the one that you were sent, then create your account.
    </p>
    <div class="row">
      <ButtonLink href={signIn}>Sign in</ButtonLink>
    </div>
  </Plain>
);

interface NewAccountProps {
  /** Token of an invitation. Undefined if the person signs up to apply to a program. */
  readonly token: string | undefined;
  /** Slug of the join page on which the account applies. */
  readonly joinPage: string | undefined;
  readonly signIn: string;
}

function NewAccount({ token, joinPage, signIn }: NewAccountProps): JSX.Element {
  const { data: invited, failure } = usePartnerInvitation(token);
  const arrive = useAfterSignIn();
  // The account accepts the invitation after it has signed in, so the token is kept until then.
  const signUp = useAction(
    ({ name = "", email = "", password = "" }: Values) =>
      take(
        api.auth["sign-up"].email.$post({
          json: { name, email, password, invitation: token, joinPage, app: "partner" },
        }),
      ),
    { failsIn: "form", onDone: arrive },
  );
  return (
    <Plain
      title="Create your account"
      lead={
        token === undefined
          ? "Next, you apply to the program."
          : invited && (
              <>
                You've been invited to <bdi class="breakable">{invited.programName}</bdi>.
              </>
            )
      }
      foot={
        <>
          Already have an account? <a href={signIn}>Sign in</a>
        </>
      }
    >
      {/* A new key fills in the fields once the invitation is read. */}
      <Form
        key={token === undefined || invited !== undefined || failure !== undefined ? "known" : "reading"}
        action={signUp}
        submit="Create account"
      >
        <TextField
          name="name"
          label="Name"
          autocomplete="name"
          value={invited?.email ? invited.partnerName : undefined}
        />
        <TextField
          name="email"
          label="Email"
          type="email"
          autocomplete="username"
          value={invited?.email ?? undefined}
        />
        <NewPasswordField name="password" label="Password" />
      </Form>
    </Plain>
  );
}
