import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { api, take } from "../../api/client.ts";
import { useAction } from "../../api/use-action.ts";
import { useQuery } from "../../api/use-query.ts";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Form, type Values } from "../../components/form.tsx";
import { Loaded } from "../../components/states.tsx";
import { Table, TableSkeleton } from "../../components/table.tsx";
import { Instant } from "../../components/time.tsx";
import { roleTitles } from "../../role-titles.ts";
import { useProgram } from "../../session.tsx";

export const invitationsKey = (workspaceId: string) => `invitations of ${workspaceId}`;

export function useInvitations() {
  const { workspace } = useProgram();
  const param = { workspaceId: workspace.id };
  return useQuery(
    invitationsKey(workspace.id),
    async (signal) =>
      (await take(api.workspaces[":workspaceId"].invitations.$get({ param }, { init: { signal } }))).data,
  );
}
type Invitation = NonNullable<ReturnType<typeof useInvitations>["data"]>[number];

const addressOf = ({ email }: Invitation): string => email ?? "an unknown address";

export function Invitations({ invitations }: { readonly invitations: ReturnType<typeof useInvitations> }): JSX.Element {
  const [revoking, setRevoking] = useState<Invitation>();
  return (
    <section class="stack">
      <h2>Open invitations</h2>
      <Loaded query={invitations} skeleton={<TableSkeleton rows={1} />}>
        {(open) =>
          open.length === 0 ? (
            <p class="soft">No open invitations. Links you create appear here until they're used.</p>
          ) : (
            <Table
              caption="Open invitations, oldest first"
              columns={[
                {
                  head: "Email",
                  cell: (invitation) => (
                    <span class="member address">
                      <strong>{addressOf(invitation)}</strong>
                      <small>Invited by {invitation.invitedByName}</small>
                    </span>
                  ),
                },
                { head: "Role", cell: ({ role }) => roleTitles[role] },
                { head: "Expires", cell: ({ expiresAt }) => <Instant at={expiresAt} /> },
                {
                  head: "Actions",
                  isNumber: true,
                  cell: (invitation) => (
                    <Button
                      look="quiet"
                      label={`Revoke the invitation for ${addressOf(invitation)}`}
                      onClick={() => setRevoking(invitation)}
                    >
                      Revoke
                    </Button>
                  ),
                },
              ]}
              rows={open}
              rowKey={({ id }) => id}
              isStale={invitations.isBusy}
            />
          )
        }
      </Loaded>
      {revoking !== undefined && <Revoke invitation={revoking} onClose={() => setRevoking(undefined)} />}
    </section>
  );
}

interface RevokeProps {
  readonly invitation: Invitation;
  readonly onClose: () => void;
}

function Revoke({ invitation, onClose }: RevokeProps): JSX.Element {
  const { workspace } = useProgram();
  const revoke = useAction(
    (_: Values) => {
      const param = { workspaceId: workspace.id, invitationId: invitation.id };
      return take(api.workspaces[":workspaceId"].invitations[":invitationId"].$delete({ param }));
    },
    { failsIn: "form", done: "Invitation revoked.", refreshes: [invitationsKey(workspace.id)], onDone: onClose },
  );
  return (
    <Dialog title="Revoke this invitation?" onClose={onClose}>
      <Form action={revoke} submit="Revoke invitation" onCancel={onClose}>
        <p class="soft">The link for {addressOf(invitation)} stops working immediately.</p>
      </Form>
    </Dialog>
  );
}
