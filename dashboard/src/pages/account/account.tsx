import "./account.css";
import type { JSX } from "preact";
import { Button, ButtonLink } from "../../components/button.tsx";
import { Notice } from "../../components/notice.tsx";
import { DeleteAccount } from "../../forms/delete-account.tsx";
import { UnverifiedAddress } from "../../forms/unverified-address.tsx";
import { nameInText } from "../../named-by-code.ts";
import { type Session, useSignedIn, useSignOut } from "../../session.tsx";
import { Plain, PlainSkeleton } from "../../shell/plain.tsx";
import { ProviderLink } from "../provider-link.tsx";
import { AllMail } from "../settings/mail.tsx";
import { Activity } from "./activity.tsx";
import { ChangeName } from "./change-name.tsx";
import { Sessions } from "./sessions.tsx";
import { SignInWays, useIdentity } from "./sign-in-ways.tsx";
import { TwoFactor } from "./two-factor.tsx";
import { Workspaces } from "./workspaces.tsx";

export default function Account(): JSX.Element {
  const { data: session } = useSignedIn();
  if (session == null) return <PlainSkeleton />;
  const { name, email } = session.user;
  return (
    <Plain
      title="Account"
      lead={`${nameInText(name)}, ${email}`}
      foot={
        <ButtonLink href="/app/" look="quiet">
          Back to your programs
        </ButtonLink>
      }
    >
      <Sections user={session.user} />
    </Plain>
  );
}

function Sections({ user }: Pick<Session, "user">): JSX.Element {
  const { name, twoFactor } = user;
  const { data: identity } = useIdentity();
  const isReadOnly = identity?.readOnly === true;
  const changing = { class: "account-sections", disabled: isReadOnly };
  return (
    <>
      {isReadOnly && <ReadOnly />}
      <fieldset {...changing}>
        <UnverifiedAddress user={user}>
          Your email address isn't verified yet, so you can't apply to programs as a partner.
        </UnverifiedAddress>
        <TwoFactor isOn={twoFactor} />
        <SignInWays identity={identity} />
        <Sessions />
      </fieldset>
      <Activity />
      <fieldset {...changing}>
        <AllMail />
        <Workspaces />
        <ChangeName key={name} name={name} />
        <section class="account-section">
          <h2>Delete account</h2>
          <div class="row">
            <DeleteAccount />
          </div>
        </section>
      </fieldset>
    </>
  );
}

function ReadOnly(): JSX.Element {
  const signOut = useSignOut();
  return (
    <Notice look="warn">
      <p>
        You signed in with your password, but members sign in at the identity provider. In this session, you can only
        read this page and sign out.
      </p>
      <div class="row">
        <ProviderLink />
        <Button isPending={signOut.isPending} onClick={() => signOut.run(undefined)}>
          Sign out
        </Button>
      </div>
    </Notice>
  );
}
