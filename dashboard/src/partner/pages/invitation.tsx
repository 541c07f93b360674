import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { take } from "../../api/client.ts";
import { errorMessage, useAction } from "../../api/use-action.ts";
import { refresh, useQuery } from "../../api/use-query.ts";
import { Button, ButtonLink } from "../../components/button.tsx";
import { Notice } from "../../components/notice.tsx";
import { Failed } from "../../components/states.tsx";
import { forgetLinkToken, linkToken } from "../../link-token.ts";
import { nameInText } from "../../named-by-code.ts";
import { type Session, useSession } from "../../session.tsx";
import { Plain, PlainSkeleton } from "../../shell/plain.tsx";
import { addressWith } from "../../url.ts";
import { partnerAddress } from "../access.tsx";
import { partnerApi } from "../client.ts";
import { TermsText } from "../terms-text.tsx";

/** Reads an invitation. Undefined while there is no token, or the service hasn't answered. */
export const usePartnerInvitation = (token: string | undefined) =>
  useQuery(`invitation ${token}`, async (signal) =>
    token === undefined
      ? undefined
      : (await take(partnerApi.invitations.preview.$post({ json: { token } }, { init: { signal } }))).data,
  );

type Preview = NonNullable<ReturnType<typeof usePartnerInvitation>["data"]>;

export default function Invitation(): JSX.Element {
  const token = linkToken("invitation");
  return token === undefined ? <Unusable /> : <OfToken token={token} />;
}

const Unusable = (): JSX.Element => (
  <Plain title="This invitation doesn't work">
    <p class="soft">
      Invitations work once and expire. If you have already accepted yours, go to your programs. Otherwise ask the
      program for a new one.
    </p>
    <div class="row">
      <ButtonLink href="/partner/">Go to your programs</ButtonLink>
    </div>
  </Plain>
);

function OfToken({ token }: { readonly token: string }): JSX.Element {
  const { data: session } = useSession();
  const shown = usePartnerInvitation(token);
  const isUnusable = shown.failure?.status === 400;
  useEffect(() => {
    if (isUnusable) forgetLinkToken("invitation");
  }, [isUnusable]);
  if (isUnusable) return <Unusable />;
  if (shown.failure !== undefined && !shown.failure.isOutage) {
    return (
      <Plain title="Your invitation">
        <Failed failure={shown.failure} onRetry={shown.refetch} isPending={shown.isLoading} />
      </Plain>
    );
  }
  if (session === undefined || shown.data === undefined) return <PlainSkeleton />;
  if (session === null) return <AskSignIn preview={shown.data} />;
  return <Accept token={token} preview={shown.data} session={session} />;
}

const roles: Readonly<Record<Preview["role"], string>> = {
  manage: "You can see your figures, add codes and change the profile.",
  view: "You can see the figures, but change nothing.",
};

const Lead = ({ preview: { partnerName, role } }: { readonly preview: Preview }): JSX.Element => (
  <>
    You've been invited to see what <bdi class="breakable">{partnerName}</bdi> earns. {roles[role]}
  </>
);

const titleOf = ({ programName }: Preview): string => `Join ${nameInText(programName)}`;

const AskSignIn = ({ preview }: { readonly preview: Preview }): JSX.Element => (
  <Plain title={titleOf(preview)} lead={<Lead preview={preview} />}>
    <div class="row">
      <ButtonLink href={addressWith("/partner/sign-up", back)} look="primary">
        Create an account
      </ButtonLink>
      <ButtonLink href={addressWith("/partner/sign-in", back)}>Sign in</ButtonLink>
    </div>
  </Plain>
);

const back = { return: "/partner/invitation" };

interface AcceptProps {
  readonly token: string;
  readonly preview: Preview;
  readonly session: Session;
}

function Accept({ token, preview, session: { user } }: AcceptProps): JSX.Element {
  const { route } = useLocation();
  const { terms } = preview;
  const accept = useAction(
    () => take(partnerApi.invitations.accept.$post({ json: { token, ...(terms && { termsVersion: terms.version }) } })),
    {
      failsIn: "form",
      refreshes: ["partner "],
      done: "Invitation accepted.",
      onDone: ({ data }) => {
        forgetLinkToken("invitation");
        route(partnerAddress({ programId: String(data.programId), partnerId: String(data.partnerId) }), true);
      },
    },
  );
  const isChanged = accept.failure?.code === "terms_changed";
  useEffect(() => {
    if (isChanged) refresh("invitation ");
  }, [isChanged]);
  return (
    <Plain
      title={titleOf(preview)}
      lead={<Lead preview={preview} />}
      foot={
        <span class="breakable">
          Signed in as <bdi>{user.name}</bdi> ({user.email}).
        </span>
      }
    >
      {accept.failure && <Notice look="bad">{errorMessage(accept.failure)}</Notice>}
      {terms !== null && (
        <div class="stack">
          <p>By accepting, you agree to the terms of the program:</p>
          <TermsText text={terms.text} />
        </div>
      )}
      <div class="row">
        <Button look="primary" isPending={accept.isPending} onClick={() => accept.run(undefined)}>
          Accept invitation
        </Button>
        <ButtonLink href="/partner/" look="quiet">
          Not now
        </ButtonLink>
      </div>
    </Plain>
  );
}
