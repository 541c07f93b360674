import type { JSX } from "preact";
import { api, take } from "../../api/client.ts";
import { type AboutMember, useMemberRefreshes } from "../../api/members.ts";
import { useAction } from "../../api/use-action.ts";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Form, type Values } from "../../components/form.tsx";
import { toast } from "../../components/toast.tsx";
import { nameInText } from "../../named-by-code.ts";
import { useProgram } from "../../session.tsx";

const { members } = api.workspaces[":workspaceId"];
const { "api-keys": keysRoute, webhooks: webhooksRoute } = api.programs[":programId"];

type Removed = Awaited<ReturnType<typeof removalOf>>;

const removalOf = async (workspaceId: string, memberId: string) =>
  (await take(members[":memberId"].$delete({ param: { workspaceId, memberId }, json: {} }))).data;

/** Removes a member. Keys and webhooks that the member created continue to work until someone ends them. */
export function RemoveMember({ member, onClose }: AboutMember): JSX.Element {
  const { workspace } = useProgram();
  const { name } = member;
  const remove = useAction((_: Values) => removalOf(workspace.id, member.id), {
    failsIn: "form",
    refreshes: useMemberRefreshes(),
    onDone: ({ keys, webhooks }) => {
      if (keys.length + webhooks.length > 0) return;
      toast(`${nameInText(name)} was removed.`);
      onClose();
    },
  });
  const removed = remove.result;
  if (removed !== undefined && removed.keys.length + removed.webhooks.length > 0) {
    return <StillWorks name={name} removed={removed} onClose={onClose} />;
  }
  return (
    <Dialog title={`Remove ${nameInText(name)}?`} onClose={onClose}>
      <Form action={remove} submit="Remove member" submitLook="destructive" onCancel={onClose}>
        <p class="soft">
          They lose access to every program in the workspace. To bring them back, invite them again. Open invite links
          for owners and admins stop working too, because {nameInText(name)} may have one, and so do the partner
          invitations that they made. API keys and webhooks that they made are listed afterwards.
        </p>
      </Form>
    </Dialog>
  );
}

interface StillWorksProps {
  readonly name: string;
  readonly removed: Removed;
  readonly onClose: () => void;
}

function StillWorks({ name, removed: { keys, webhooks }, onClose }: StillWorksProps): JSX.Element {
  const end = useAction(
    async () => {
      for (const { programId, id } of keys) {
        await take(keysRoute[":keyId"].$delete({ param: { programId: String(programId), keyId: String(id) } }));
      }
      for (const { programId, id } of webhooks) {
        const param = { programId: String(programId), webhookId: String(id) };
        await take(webhooksRoute[":webhookId"].$patch({ param, json: { status: "disabled" } }));
      }
    },
    {
      done: "All were ended.",
      refreshes: [...new Set([...keys, ...webhooks].map(({ programId }) => `program ${programId} `))],
      onDone: onClose,
    },
  );
  return (
    <Dialog title={`${nameInText(name)} was removed`} onClose={onClose}>
      <p>What they made still works, and they may know its secrets:</p>
      <ul>
        {keys.map(({ id, name: keyName, masked, programName }) => (
          <li key={`key ${id}`}>
            API key <bdi>{keyName}</bdi> ({masked}), <bdi>{programName}</bdi>
          </li>
        ))}
        {webhooks.map(({ id, url, programName }) => (
          <li key={`webhook ${id}`} class="breakable">
            Webhook <bdi>{url}</bdi>, <bdi>{programName}</bdi>
          </li>
        ))}
      </ul>
      <p class="soft">
        Ending a key that your shop uses stops its calls: first replace it in Settings, API keys. Ended webhooks are
        disabled, and can be enabled again.
      </p>
      <div class="row">
        <Button look="destructive" isPending={end.isPending} onClick={() => end.run(undefined)}>
          End them all
        </Button>
        <Button onClick={onClose}>Keep them</Button>
      </div>
    </Dialog>
  );
}
