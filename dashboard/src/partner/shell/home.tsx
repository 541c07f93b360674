import type { JSX } from "preact";
import { Button } from "../../components/button.tsx";
import { Notice } from "../../components/notice.tsx";
import { Failed } from "../../components/states.tsx";
import { useSignedIn, useSignOut } from "../../session.tsx";
import { Plain, PlainSkeleton } from "../../shell/plain.tsx";
import { Redirect } from "../../shell/redirect.tsx";
import { partnerAddress, usePartnerPrograms } from "../access.tsx";
import { lastPartner } from "../last-partner.ts";

/** Redirects to the partner that was open last, or to the first. */
export function Home(): JSX.Element {
  const session = useSignedIn();
  return session.data ? <UserHome email={session.data.user.email} /> : <PlainSkeleton />;
}

function UserHome({ email }: { readonly email: string }): JSX.Element {
  const { data: found, failure, isLoading, refetch } = usePartnerPrograms();
  if (found === undefined) {
    if (failure === undefined || failure.isOutage) return <PlainSkeleton />;
    return (
      <Plain title="Your programs">
        <Failed failure={failure} onRetry={refetch} isPending={isLoading} />
      </Plain>
    );
  }
  const last = lastPartner.get();
  const partner = found.data.find((each) => partnerAddress(pathOf(each)) === last) ?? found.data[0];
  if (partner !== undefined) return <Redirect to={partnerAddress(pathOf(partner))} />;
  return <NoProgram email={email} {...found.meta} onRetry={refetch} />;
}

const pathOf = ({ programId, partnerId }: { readonly programId: number; readonly partnerId: number }) => ({
  programId: String(programId),
  partnerId: String(partnerId),
});

interface NoProgramProps {
  readonly email: string;
  readonly unavailable: number;
  readonly applications: readonly { readonly programId: number; readonly programName: string }[];
  readonly onRetry: () => void;
}

function NoProgram({ email, unavailable, applications, onRetry }: NoProgramProps): JSX.Element {
  const signOut = useSignOut();
  return (
    <Plain title="No program yet" foot={`Signed in as ${email}.`}>
      {applications.map(({ programId, programName }) => (
        <p key={programId}>
          Your application to <bdi>{programName}</bdi> waits for a decision.
        </p>
      ))}
      {unavailable > 0 ? (
        <Notice look="warn">One of your programs can't be reached right now. Try again in a minute.</Notice>
      ) : (
        applications.length === 0 && (
          <p class="soft">
            Open the invitation that you were sent. It adds the program to this account. If you have joined or applied
            with another email address, sign in with that one.
          </p>
        )
      )}
      <div class="row">
        {unavailable > 0 && <Button onClick={onRetry}>Try again</Button>}
        <Button onClick={() => signOut.run(undefined)} isPending={signOut.isPending}>
          Sign out
        </Button>
      </div>
    </Plain>
  );
}
