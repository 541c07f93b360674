import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { roles } from "../../../../src/domain/role.ts";
import { api, take } from "../../api/client.ts";
import { useAction } from "../../api/use-action.ts";
import { useQuery } from "../../api/use-query.ts";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { Code } from "../../components/copy.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Form, SelectField, TextField, type Values } from "../../components/form.tsx";
import { Notice } from "../../components/notice.tsx";
import { Loaded } from "../../components/states.tsx";
import { Table, TableSkeleton } from "../../components/table.tsx";
import { useProgram, useSession } from "../../session.tsx";
import { Invitations, invitationsKey } from "./invitations.tsx";

const membersKey = (workspaceId: string) => `members of ${workspaceId}`;

function useMembers() {
  const { workspace } = useProgram();
  const param = { workspaceId: workspace.id };
  return useQuery(
    membersKey(workspace.id),
    async (signal) => (await take(api.workspaces[":workspaceId"].members.$get({ param }, { init: { signal } }))).data,
  );
}
type Member = NonNullable<ReturnType<typeof useMembers>["data"]>[number];

const roleOptions = roles.map(
  (role) =>
    [
      role,
      { viewer: "Viewer: reads", admin: "Admin: changes the program", owner: "Owner: keys and members too" }[role],
    ] as const,
);

const roleOf = (text: string | undefined) => roles.find((role) => role === text) ?? "viewer";

/** Who may do what in the workspace. */
export function Members(): JSX.Element {
  const { workspace } = useProgram();
  const members = useMembers();
  const { data: session } = useSession();
  const [isInviting, setIsInviting] = useState(false);
  const [changing, setChanging] = useState<Member>();
  const [removing, setRemoving] = useState<Member>();
  return (
    <div class="settings">
      <header class="row spread">
        <p class="soft">
          Of the workspace {workspace.name}, with all its programs. It keeps at least one active owner.
        </p>
        <Button look="primary" onClick={() => setIsInviting(true)}>
          Invite
        </Button>
      </header>
      <Loaded query={members} skeleton={<TableSkeleton rows={3} />}>
        {(people) => (
          <Table
            caption="Members, the oldest first"
            columns={[
              {
                head: "Member",
                cell: ({ name, email, userId }) => (
                  <span class="member">
                    <strong>{name}</strong>
                    {userId === session?.user.id && <span class="soft"> you</span>}
                    <small>{email}</small>
                  </span>
                ),
              },
              { head: "Role", cell: ({ role }) => role },
              {
                head: "Status",
                cell: ({ status }) =>
                  status === "active" ? <Badge tone="good">Active</Badge> : <Badge tone="warn">Suspended</Badge>,
              },
              {
                head: "Change",
                isNumber: true,
                cell: (member) => (
                  <span class="row-actions">
                    <Button
                      look="quiet"
                      label={`Change the role of ${member.name}`}
                      onClick={() => setChanging(member)}
                    >
                      Role
                    </Button>
                    <Suspend member={member} />
                    <Button look="quiet" label={`Remove ${member.name}`} onClick={() => setRemoving(member)}>
                      Remove
                    </Button>
                  </span>
                ),
              },
            ]}
            rows={people}
            rowKey={({ id }) => id}
            isStale={members.isLoading}
          />
        )}
      </Loaded>
      <Invitations />
      {isInviting && <Invite onClose={() => setIsInviting(false)} />}
      {changing !== undefined && <ChangeRole member={changing} onClose={() => setChanging(undefined)} />}
      {removing !== undefined && <Remove member={removing} onClose={() => setRemoving(undefined)} />}
    </div>
  );
}

/** What a change of members changes: the list, and what one may do oneself. */
const useRefreshes = () => [membersKey(useProgram().workspace.id), "workspaces"];

function Suspend({ member: { id, name, status } }: { readonly member: Member }): JSX.Element {
  const { workspace } = useProgram();
  const next = status === "active" ? "suspended" : "active";
  const set = useAction(
    () => {
      const param = { workspaceId: workspace.id, memberId: id };
      return take(api.workspaces[":workspaceId"].members[":memberId"].$patch({ param, json: { status: next } }));
    },
    {
      done:
        next === "suspended" ? `${name} is suspended: they see nothing until you let them back.` : `${name} is back.`,
      refreshes: useRefreshes(),
    },
  );
  return (
    <Button
      look="quiet"
      isPending={set.isPending}
      label={`${next === "suspended" ? "Suspend" : "Let back"} ${name}`}
      onClick={() => set.run(undefined)}
    >
      {next === "suspended" ? "Suspend" : "Let back"}
    </Button>
  );
}

interface AboutMember {
  readonly member: Member;
  readonly onClose: () => void;
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
      done: ({ data }) => `${data.name} is ${data.role} from now on.`,
      refreshes: useRefreshes(),
      onDone: onClose,
    },
  );
  return (
    <Dialog title={`The role of ${member.name}`} onClose={onClose}>
      <Form action={change} submit="Change it" beside={<Button onClick={onClose}>Cancel</Button>}>
        <SelectField name="role" label="Role" options={roleOptions} value={member.role} />
      </Form>
    </Dialog>
  );
}

function Remove({ member, onClose }: AboutMember): JSX.Element {
  const { workspace } = useProgram();
  const remove = useAction(
    (_: Values) => {
      const param = { workspaceId: workspace.id, memberId: member.id };
      return take(api.workspaces[":workspaceId"].members[":memberId"].$delete({ param }));
    },
    { failsIn: "form", done: `${member.name} is out.`, refreshes: useRefreshes(), onDone: onClose },
  );
  return (
    <Dialog title={`Remove ${member.name}?`} onClose={onClose}>
      <Form action={remove} submit="Remove" beside={<Button onClick={onClose}>Cancel</Button>}>
        <p class="soft">They lose access to every program of the workspace. An invitation brings them back.</p>
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
        <Form action={invite} submit="Make the link" beside={<Button onClick={onClose}>Cancel</Button>}>
          <TextField
            name="email"
            label="E-mail"
            type="email"
            hint="Whom it is for. Nothing is sent there: you hand the link over."
          />
          <SelectField name="role" label="Role" options={roleOptions} />
        </Form>
      ) : (
        <>
          <Code text={link} what="invitation link" />
          <Notice look="warn">
            Copy it now, and hand it over: it is shown this one time. Whoever opens it first is in; it works once,
            within 7 days.
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
