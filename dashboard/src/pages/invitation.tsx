import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import type { Role } from "#domain/role.ts";
import { api, take } from "../api/client.ts";
import { errorMessage, useAction } from "../api/use-action.ts";
import { useQuery } from "../api/use-query.ts";
import { Button, ButtonLink } from "../components/button.tsx";
import { Notice } from "../components/notice.tsx";
import { Failed } from "../components/states.tsx";
import { lastProgram } from "../last-program.ts";
import { forgetLinkToken, linkToken } from "../link-token.ts";
import { nameInText } from "../named-by-code.ts";
import { useSession } from "../session.tsx";
import { Plain, PlainSkeleton } from "../shell/plain.tsx";
import { addressWith } from "../url.ts";
import { ProviderLink } from "./provider-link.tsx";

export const useInvitation = (token: string | undefined) =>
  useQuery(`invitation ${token}`, async (signal) =>
    token === undefined
      ? undefined
      : (await take(api.invitations.show.$post({ json: { token } }, { init: { signal } }))).data,
  );

const back = new URLSearchParams({ return: "/app/invitation" });

const allows: Readonly<Record<Role, string>> = {
  viewer: "As a viewer, you can see its programs.",
  admin: "As an admin, you can see and change its programs.",
  owner: "As an owner, you can also manage its keys and members.",
};

export default function Invitation(): JSX.Element {
  const token = linkToken("invitation");
  return token === undefined ? <Unusable /> : <OfToken token={token} />;
}

const Unusable = (): JSX.Element => (
  <Plain title="This invitation doesn't work">
    <p class="soft">
      Invitations work once, expire after 7 days, and can be revoked. If you have accepted yours already, go to your
      programs. Otherwise ask the person who invited you for a new one.
    </p>
    <div class="row">
      <ButtonLink href="/app/">Go to your programs</ButtonLink>
    </div>
  </Plain>
);

function OfToken({ token }: { readonly token: string }): JSX.Element {
  const { route } = useLocation();
  const { data: session } = useSession();
  const shown = useInvitation(token);
  const accept = useAction(() => take(api.invitations.accept.$post({ json: { token } })), {
    failsIn: "form",
    refreshes: ["workspaces"],
    done: ({ data }) => `You joined the workspace. Your role is ${data.role}.`,
    onDone: ({ data }) => {
      forgetLinkToken("invitation");
      lastProgram.forget();
      route(addressWith("/app/", { workspace: data.workspaceId }), true);
    },
  });
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
  const { workspaceName, role } = shown.data;
  const title = `Join ${nameInText(workspaceName)}`;
  if (session === null) {
    return (
      <Plain title={title} lead={`You've been invited to this workspace. ${allows[role]}`}>
        <div class="row">
          <ButtonLink href="/app/sign-up" look="primary">
            Create an account
          </ButtonLink>
          <ButtonLink href={`/app/sign-in?${back}`}>Sign in</ButtonLink>
        </div>
      </Plain>
    );
  }
  const { name, email } = session.user;
  return (
    <Plain
      title={title}
      lead={`You've been invited to this workspace. ${allows[role]}`}
      foot={`Signed in as ${nameInText(name)} (${email}).`}
    >
      {accept.failure && <Notice look="bad">{errorMessage(accept.failure)}</Notice>}
      <div class="row">
        {accept.failure?.code === "oidc_required" ? (
          <ProviderLink />
        ) : (
          <Button look="primary" isPending={accept.isPending} onClick={() => accept.run(undefined)}>
            Join workspace
          </Button>
        )}
        <ButtonLink href="/app/" look="quiet">
          Not now
        </ButtonLink>
      </div>
    </Plain>
  );
}
