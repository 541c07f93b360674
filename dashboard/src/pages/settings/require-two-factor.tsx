import type { JSX } from "preact";
import { api, take } from "../../api/client.ts";
import { useAction } from "../../api/use-action.ts";
import { Badge } from "../../components/badge.tsx";
import { Button, ButtonLink } from "../../components/button.tsx";
import { Card } from "../../components/card.tsx";
import { useProgram } from "../../session.tsx";

/** Requires two-factor authentication of all members. `hasOwn` is true if the user has a second factor. */
export function RequireTwoFactor({ hasOwn }: { readonly hasOwn: boolean }): JSX.Element {
  const { workspace } = useProgram();
  const isRequired = workspace.requireTwoFactor;
  const set = useAction(
    (requireTwoFactor: boolean) =>
      take(api.workspaces[":workspaceId"].$patch({ param: { workspaceId: workspace.id }, json: { requireTwoFactor } })),
    {
      refreshes: ["workspaces"],
      done: ({ data }) =>
        data.requireTwoFactor
          ? "Two-factor authentication is now required."
          : "Two-factor authentication is no longer required.",
    },
  );
  return (
    <Card
      title="Two-factor authentication"
      lead="If you require it, members without it can only view programs until they turn it on."
      actions={isRequired ? <Badge tone="good">Required</Badge> : <Badge>Not required</Badge>}
    >
      <div class="row">
        {hasOwn || isRequired ? (
          <Button isPending={set.isPending} onClick={() => set.run(!isRequired)}>
            {isRequired ? "Stop requiring two-factor authentication" : "Require two-factor authentication"}
          </Button>
        ) : (
          <>
            <span class="soft">To require it, turn it on for your own account first.</span>
            <ButtonLink href="/app/account">Go to your account</ButtonLink>
          </>
        )}
      </div>
    </Card>
  );
}
