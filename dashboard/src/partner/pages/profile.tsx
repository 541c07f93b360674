import type { JSX } from "preact";
import { api, take } from "../../api/client.ts";
import { useAction } from "../../api/use-action.ts";
import { Button } from "../../components/button.tsx";
import { Card } from "../../components/card.tsx";
import { Loaded, Skeleton } from "../../components/states.tsx";
import { leaveSignedOut } from "../../session.tsx";
import { usePartner, usePartnerQuery } from "../access.tsx";
import { partnerApi } from "../client.ts";

function useProfile() {
  const { profile } = partnerApi.programs[":programId"].partners[":partnerId"];
  return usePartnerQuery("profile", {}, async (call, init) => (await take(profile.$get(call, init))).data);
}
type OwnProfile = NonNullable<ReturnType<typeof useProfile>["data"]>;

const roles = {
  manage: "Manage: you see everything of your own, and add codes",
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

function About({ profile: { name, role, accountName, email } }: { readonly profile: OwnProfile }): JSX.Element {
  const { partner } = usePartner();
  const signOut = useAction(() => take(api.auth["sign-out"].$post({})), { onDone: leaveSignedOut });
  return (
    <div class="stack">
      <Card title="Partner">
        <dl class="facts">
          <dt>Name</dt>
          <dd>
            <bdi>{name}</bdi>
          </dd>
          <dt>Program</dt>
          <dd>
            <bdi>{partner.programName}</bdi>
          </dd>
          <dt>Your role</dt>
          <dd>{roles[role]}</dd>
        </dl>
      </Card>
      <Card
        title="Your account"
        actions={
          <Button onClick={() => signOut.run(undefined)} isPending={signOut.isPending}>
            Sign out
          </Button>
        }
      >
        <dl class="facts">
          <dt>Name</dt>
          <dd>
            <bdi>{accountName}</bdi>
          </dd>
          <dt>Email</dt>
          <dd>{email}</dd>
        </dl>
      </Card>
    </div>
  );
}
