import type { JSX } from "preact";
import { useLocation } from "preact-iso/router";
import { api, take } from "../api/client.ts";
import { tell, useAction } from "../api/use-action.ts";
import { Button, ButtonLink } from "../components/button.tsx";
import { Notice } from "../components/notice.tsx";
import { forgetInvitation, invitationToken } from "../invitation.ts";
import { lastProgram } from "../last-program.ts";
import { useSession } from "../session.tsx";
import { Plain, PlainSkeleton } from "../shell/plain.tsx";

const back = new URLSearchParams({ return: "/app/invitation" });

export default function Invitation(): JSX.Element {
  const { route } = useLocation();
  const { data: session } = useSession();
  const token = invitationToken();
  const accept = useAction(
    (invitation: string) => take(api.invitations.accept.$post({ json: { token: invitation } })),
    {
      failsIn: "form",
      refreshes: ["workspaces"],
      done: ({ data }) => `You are in, as ${data.role}.`,
      onDone: () => {
        forgetInvitation();
        lastProgram.forget();
        route("/app/", true);
      },
    },
  );
  if (session === undefined) return <PlainSkeleton />;
  if (token === undefined) {
    return (
      <Plain title="No invitation here">
        <p class="soft">Open the link of the invitation once more, as it was given to you.</p>
        <ButtonLink href="/app/">Go to your programs</ButtonLink>
      </Plain>
    );
  }
  if (session === null) {
    return (
      <Plain title="You are invited" lead="Sign in, or create an account, and you are in.">
        <div class="row">
          <ButtonLink href={`/app/sign-up?${back}`} look="primary">
            Create an account
          </ButtonLink>
          <ButtonLink href={`/app/sign-in?${back}`}>Sign in</ButtonLink>
        </div>
      </Plain>
    );
  }
  return (
    <Plain title="You are invited" lead={`To join a workspace as ${session.user.name}, ${session.user.email}.`}>
      {accept.failure && (
        <Notice look="bad">
          {tell(accept.failure)}. An invitation works once, and for seven days: ask for another.
        </Notice>
      )}
      <div class="row">
        <Button look="primary" isPending={accept.isPending} onClick={() => accept.run(token)}>
          Join
        </Button>
        <ButtonLink href="/app/" look="quiet">
          Not now
        </ButtonLink>
      </div>
    </Plain>
  );
}
