import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { api, take } from "../../api/client.ts";
import { useAction } from "../../api/use-action.ts";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Form, type Values } from "../../components/form.tsx";
import { failureText, Loaded, Skeleton } from "../../components/states.tsx";
import { nameInText } from "../../named-by-code.ts";
import { roleTitles } from "../../role-titles.ts";
import { useWorkspaces, type Workspace } from "../../session.tsx";

export function Workspaces(): JSX.Element {
  const workspaces = useWorkspaces();
  const { failure } = workspaces;
  const [leaving, setLeaving] = useState<Workspace>();
  return (
    <section class="account-section">
      <h2>Your workspaces</h2>
      {failure?.code === "oidc_required" ? (
        <p class="soft">{failureText(failure)}</p>
      ) : (
        <Loaded query={workspaces} skeleton={<Skeleton lines={2} />}>
          {({ own }) =>
            own.length === 0 ? (
              <p class="soft">You aren't a member of any workspace.</p>
            ) : (
              <ul class="sessions">
                {own.map((workspace) => (
                  <li key={workspace.id}>
                    <span>
                      <bdi>{workspace.name}</bdi>
                      <small>{roleTitles[workspace.role]}</small>
                    </span>
                    <Button
                      look="quiet"
                      label={`Leave ${nameInText(workspace.name)}`}
                      onClick={() => setLeaving(workspace)}
                    >
                      Leave
                    </Button>
                  </li>
                ))}
              </ul>
            )
          }
        </Loaded>
      )}
      {leaving !== undefined && <Leave workspace={leaving} onClose={() => setLeaving(undefined)} />}
    </section>
  );
}

interface LeaveProps {
  readonly workspace: Workspace;
  readonly onClose: () => void;
}

function Leave({ workspace: { id, name }, onClose }: LeaveProps): JSX.Element {
  const leave = useAction(
    (_: Values) => take(api.workspaces[":workspaceId"].membership.$delete({ param: { workspaceId: id } })),
    { failsIn: "form", done: `You left ${nameInText(name)}.`, refreshes: ["workspaces"], onDone: onClose },
  );
  return (
    <Dialog title={`Leave ${nameInText(name)}?`} onClose={onClose}>
      <Form action={leave} submit="Leave workspace" onCancel={onClose}>
        <p class="soft">
          You lose access to every program in this workspace. To come back, you need an invitation from an owner.
        </p>
      </Form>
    </Dialog>
  );
}
