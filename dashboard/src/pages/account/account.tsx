import "./account.css";
import type { JSX } from "preact";
import { ButtonLink } from "../../components/button.tsx";
import { DeleteAccount } from "../../forms/delete-account.tsx";
import { UnverifiedAddress } from "../../forms/unverified-address.tsx";
import { useSignedIn } from "../../session.tsx";
import { Plain, PlainSkeleton } from "../../shell/plain.tsx";
import { AllMail } from "../settings/mail.tsx";
import { Activity } from "./activity.tsx";
import { ChangeName } from "./change-name.tsx";
import { Sessions } from "./sessions.tsx";
import { SignInWays } from "./sign-in-ways.tsx";
import { TwoFactor } from "./two-factor.tsx";
import { Workspaces } from "./workspaces.tsx";

export default function Account(): JSX.Element {
  const { data: session } = useSignedIn();
  if (session == null) return <PlainSkeleton />;
  const { name, email, twoFactor } = session.user;
  return (
    <Plain
      title="Account"
      lead={`${name}, ${email}`}
      foot={
        <ButtonLink href="/app/" look="quiet">
          Back to your programs
        </ButtonLink>
      }
    >
      <UnverifiedAddress user={session.user}>
        Your email address isn't verified yet, so you can't apply to programs as a partner.
      </UnverifiedAddress>
      <TwoFactor isOn={twoFactor} />
      <SignInWays />
      <Sessions />
      <Activity />
      <AllMail />
      <Workspaces />
      <ChangeName key={name} name={name} />
      <section class="account-section">
        <h2>Delete account</h2>
        <div class="row">
          <DeleteAccount />
        </div>
      </section>
    </Plain>
  );
}
