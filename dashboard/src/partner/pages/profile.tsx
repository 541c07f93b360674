import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { take } from "../../api/client.ts";
import { useAction } from "../../api/use-action.ts";
import { Button } from "../../components/button.tsx";
import { Card } from "../../components/card.tsx";
import { ExportButton } from "../../components/export-button.tsx";
import { Form, TextField, type Values } from "../../components/form.tsx";
import { Loaded, Skeleton } from "../../components/states.tsx";
import { DeleteAccount } from "../../forms/delete-account.tsx";
import { ProofFields, proofOf } from "../../forms/proof-fields.tsx";
import { UnverifiedAddress } from "../../forms/unverified-address.tsx";
import { useSession, useSignOut } from "../../session.tsx";
import { partnerKey, usePartner } from "../access.tsx";
import { partnerApi } from "../client.ts";
import { Payment } from "./payment.tsx";
import { type OwnProfile, useProfile } from "./profile-query.ts";

const roles = {
  manage: "Manage: you see everything of your own, add codes and change your profile",
  view: "View only",
  owner: "Owner of the program, read only",
} as const satisfies Record<OwnProfile["role"], string>;

export default function Profile(): JSX.Element {
  const profile = useProfile();
  return (
    <>
      <header class="page-head">
        <h1>Profile</h1>
      </header>
      <Loaded
        query={profile}
        skeleton={
          <div class="card">
            <Skeleton lines={6} />
          </div>
        }
      >
        {(found) => <About profile={found} />}
      </Loaded>
    </>
  );
}

function About({ profile }: { readonly profile: OwnProfile }): JSX.Element {
  const { name, email, role, account } = profile;
  const { partner } = usePartner();
  const { data: session } = useSession();
  const [isChanging, setIsChanging] = useState(false);
  const signOut = useSignOut();
  return (
    <div class="stack">
      <Card
        title="Partner"
        actions={role === "manage" && !isChanging && <Button onClick={() => setIsChanging(true)}>Change…</Button>}
      >
        {isChanging && <ChangeProfile name={name} email={email} onClose={() => setIsChanging(false)} />}
        <dl class="facts">
          <dt>Name</dt>
          <dd>
            <bdi>{name}</bdi>
          </dd>
          <dt>Program</dt>
          <dd>
            <bdi>{partner.programName}</bdi>
          </dd>
          {role !== "owner" && (
            <>
              <dt>Email for payouts</dt>
              <dd>{email ?? "None yet"}</dd>
            </>
          )}
          <dt>Your role</dt>
          <dd>{roles[role]}</dd>
        </dl>
      </Card>
      {role !== "owner" && <Payment profile={profile} />}
      <Card
        title="Your account"
        actions={
          <div class="row">
            <Button onClick={() => signOut.run(undefined)} isPending={signOut.isPending}>
              Sign out
            </Button>
            <DeleteAccount />
          </div>
        }
      >
        <dl class="facts">
          <dt>Name</dt>
          <dd>
            <bdi>{account.name}</bdi>
          </dd>
          <dt>Email</dt>
          <dd>{account.email}</dd>
        </dl>
        {session && <UnverifiedAddress user={session.user}>This email address isn't verified yet.</UnverifiedAddress>}
      </Card>
      <OwnData />
    </div>
  );
}

function OwnData(): JSX.Element {
  const { param, view } = usePartner();
  const { export: file } = partnerApi.programs[":programId"].partners[":partnerId"];
  return (
    <Card title="Your data">
      <p>A JSON file with the partner's details, your account, commissions, statements and payouts.</p>
      <ExportButton title="Download all that is stored about me" call={() => file.$get({ param, query: view })} />
    </Card>
  );
}

interface ChangeProfileProps {
  readonly name: string;
  readonly email: string | null;
  readonly onClose: () => void;
}

/**
 * Changes name and email address. A new address needs the password, so that a stolen session can't redirect payouts.
 */
function ChangeProfile({ name, email, onClose }: ChangeProfileProps): JSX.Element {
  const { param } = usePartner();
  const { profile } = partnerApi.programs[":programId"].partners[":partnerId"];
  const [address, setAddress] = useState(email ?? "");
  const isOther = address !== (email ?? "");
  const save = useAction(
    ({ name: newName = "", ...values }: Values) =>
      take(profile.$patch({ param, json: { name: newName, ...(isOther && { email: address, ...proofOf(values) }) } })),
    { failsIn: "form", done: "Saved.", refreshes: [`${partnerKey(param)}profile`], onDone: onClose },
  );
  return (
    <Form action={save} submit="Save" onCancel={onClose}>
      <TextField name="name" label="Name" value={name} />
      <TextField
        name="email"
        type="email"
        label="Email for payouts"
        value={email ?? ""}
        isOptional
        onInput={setAddress}
      />
      {isOther && (
        <ProofFields label="Account password" hint="The program checks a new address before it pays to this address." />
      )}
    </Form>
  );
}
