import { nameInText } from "../../named-by-code.ts";
import "../../styles/row-menus.css";
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { roles } from "#domain/role.ts";
import { api, take } from "../../api/client.ts";
import { type AboutMember, type Member, useMemberRefreshes, useMembers } from "../../api/members.ts";
import { type Action, useAction } from "../../api/use-action.ts";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { Code } from "../../components/copy.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Form, SelectField, TextField, type Values } from "../../components/form.tsx";
import { Notice } from "../../components/notice.tsx";
import { Loaded } from "../../components/states.tsx";
import { Table, TableSkeleton } from "../../components/table.tsx";
import { roleTitles } from "../../role-titles.ts";
import { useProgram } from "../../session.tsx";
import { Invitations, invitationsKey, useInvitations } from "./invitations.tsx";
import { RemoveMember } from "./remove-member.tsx";
import { RequireTwoFactor } from "./require-two-factor.tsx";

const roleOptions = roles.map(
  (role) =>
    [
      role,
      {
        viewer: "Viewer: can view programs",
        admin: "Admin: can also change programs",
        owner: "Owner: can also manage keys and members",
      }[role],
    ] as const,
);

const roleOf = (text: string | undefined) => roles.find((role) => role === text) ?? "viewer";

export function Members(): JSX.Element {
  const { workspace, userId: ownId } = useProgram();
  const members = useMembers();
  const invitations = useInvitations();
  // Members and invitations are shown at once, so that nothing moves.
  const isReady = invitations.data !== undefined || invitations.failure !== undefined;
  const own = members.data?.find(({ userId }) => userId === ownId);
  const [isInviting, setIsInviting] = useState(false);
  const [changing, setChanging] = useState<Member>();
  const [removing, setRemoving] = useState<Member>();
  return (
    <div class="settings wide">
      <header class="row spread">
        <p class="soft">
          Members can access all programs in {nameInText(workspace.name)}. At least one owner must be active.
        </p>
        <Button look="primary" onClick={() => setIsInviting(true)}>
          Invite member
        </Button>
      </header>
      <Loaded query={isReady ? members : { ...members, data: undefined }} skeleton={<TableSkeleton rows={3} />}>
        {(people) => (
          <>
            <Table
              caption="Members, oldest first"
              columns={[
                {
                  head: "Member",
                  cell: ({ name, email, userId }) => (
                    <span class="member">
                      <strong>{name}</strong>
                      {userId === ownId && <span class="soft"> (you)</span>}
                      <small>{email}</small>
                    </span>
                  ),
                },
                { head: "Role", cell: ({ role }) => roleTitles[role] },
                {
                  head: "Status",
                  cell: ({ status }) =>
                    status === "active" ? <Badge tone="good">Active</Badge> : <Badge tone="warn">Suspended</Badge>,
                },
                {
                  head: "Two-factor",
                  cell: ({ twoFactor }) => (twoFactor ? <Badge tone="good">On</Badge> : <Badge>Off</Badge>),
                },
                {
                  head: "Actions",
                  isNumber: true,
                  cell: (member) => (
                    <span class="row-actions">
                      <Button
                        look="quiet"
                        label={`Change role of ${nameInText(member.name)}`}
                        onClick={() => setChanging(member)}
                      >
                        Change role
                      </Button>
                      <Suspend member={member} />
                      <Button
                        look="quiet"
                        label={`Remove ${nameInText(member.name)}`}
                        onClick={() => setRemoving(member)}
                      >
                        Remove
                      </Button>
                    </span>
                  ),
                },
              ]}
              rows={people}
              rowKey={({ id }) => id}
              isStale={members.isBusy}
            />
            <Invitations invitations={invitations} />
            <RequireTwoFactor hasOwn={own?.twoFactor === true} />
          </>
        )}
      </Loaded>
      {isInviting && <Invite onClose={() => setIsInviting(false)} />}
      {changing !== undefined && <ChangeRole member={changing} onClose={() => setChanging(undefined)} />}
      {removing !== undefined && <RemoveMember member={removing} onClose={() => setRemoving(undefined)} />}
    </div>
  );
}

function Suspend({ member: { id, name, status } }: { readonly member: Member }): JSX.Element {
  const { workspace } = useProgram();
  const next = status === "active" ? "suspended" : "active";
  const set: Action<Member["status"], unknown> = useAction(
    (to: Member["status"]) => {
      const param = { workspaceId: workspace.id, memberId: id };
      return take(api.workspaces[":workspaceId"].members[":memberId"].$patch({ param, json: { status: to } }));
    },
    {
      done: ({ data }) =>
        data.status === "suspended"
          ? `${nameInText(name)} is suspended and has no access until you reactivate them.`
          : `${nameInText(name)} was reactivated.`,
      refreshes: useMemberRefreshes(),
      undo: (_, to) => void set.run(to === "suspended" ? "active" : "suspended"),
    },
  );
  return (
    <Button
      look="quiet"
      isPending={set.isPending}
      label={`${next === "suspended" ? "Suspend" : "Reactivate"} ${nameInText(name)}`}
      onClick={() => set.run(next)}
    >
      {next === "suspended" ? "Suspend" : "Reactivate"}
    </Button>
  );
}

function ChangeRole({ member, onClose }: AboutMember): JSX.Element {
  const { workspace } = useProgram();
  const change = useAction(
    ({ role }: Values) => {
      const param = { workspaceId: workspace.id, memberId: member.id };
      return take(api.workspaces[":workspaceId"].members[":memberId"].$patch({ param, json: { role: roleOf(role) } }));
    },
    {
      failsIn: "form",
      done: ({ data }) => `${nameInText(data.name)}'s role is now ${data.role}.`,
      refreshes: useMemberRefreshes(),
      onDone: onClose,
    },
  );
  return (
    <Dialog title={`Change role of ${nameInText(member.name)}`} onClose={onClose}>
      <Form action={change} submit="Change role" onCancel={onClose}>
        <SelectField name="role" label="Role" options={roleOptions} value={member.role} />
      </Form>
    </Dialog>
  );
}

function Invite({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const { workspace } = useProgram();
  const invite = useAction(
    ({ email = "", role }: Values) => {
      const param = { workspaceId: workspace.id };
      return take(api.workspaces[":workspaceId"].members.$post({ param, json: { email, role: roleOf(role) } }));
    },
    { failsIn: "form", refreshes: [invitationsKey(workspace.id)] },
  );
  const link = invite.result?.data.inviteUrl;
  return (
    <Dialog title="Invite a member" onClose={onClose}>
      {link === undefined ? (
        <Form action={invite} submit="Create invite link" onCancel={onClose}>
          <TextField
            name="email"
            label="Email"
            type="email"
            hint="Only a note of who the link is for. The link isn't mailed: copy it in the next step and send it."
          />
          <SelectField name="role" label="Role" options={roleOptions} />
        </Form>
      ) : (
        <>
          <Code text={link} what="invite link" />
          <Notice look="warn">
            Copy the link now and share it. It won't be shown again. It works once, within 7 days, for the first person
            who uses it.
          </Notice>
          <div class="row">
            <Button look="primary" onClick={onClose}>
              Done
            </Button>
          </div>
        </>
      )}
    </Dialog>
  );
}
