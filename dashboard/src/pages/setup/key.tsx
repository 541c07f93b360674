import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { api, take } from "../../api/client.ts";
import { useAction } from "../../api/use-action.ts";
import { Button } from "../../components/button.tsx";
import { Code } from "../../components/copy.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Notice } from "../../components/notice.tsx";
import { keepOneTimeKey } from "../../one-time-key.ts";
import { useProgram } from "../../session.tsx";

const graceHours = 24;

/** The full key if it was just created, else its masked form. */
export function Key({
  newKey,
  onNewKey,
}: {
  readonly newKey: string | undefined;
  readonly onNewKey: () => void;
}): JSX.Element {
  const { program, may } = useProgram();
  if (!may("owner"))
    return <p class="soft">Your server sends the program's API key with every call. Ask an owner for it.</p>;
  if (newKey !== undefined) {
    return (
      <>
        <p class="soft">Your server sends this key with every call. Store it with your server's other secrets.</p>
        <Code text={newKey} what="key" />
        <Notice look="warn">Copy it now. Only a hash is stored, so it can't be shown again.</Notice>
      </>
    );
  }
  const [masked] = program.apiKeys ?? [];
  return (
    <div class="row spread">
      <p>
        <code>{masked?.masked}</code>
      </p>
      <NewKey onNewKey={onNewKey} />
    </div>
  );
}

function NewKey({ onNewKey }: { readonly onNewKey: () => void }): JSX.Element {
  const { program } = useProgram();
  const [isAsking, setIsAsking] = useState(false);
  const rotate = useAction(
    () =>
      take(
        api.programs[":programId"]["api-token"].rotate.$post({
          param: { programId: String(program.id) },
          json: { graceHours },
        }),
      ),
    {
      refreshes: [`program ${program.id} settings`],
      onDone: ({ data }) => {
        keepOneTimeKey(program.id, data.apiToken);
        setIsAsking(false);
        onNewKey();
      },
    },
  );
  return (
    <>
      <Button onClick={() => setIsAsking(true)}>Lost your key? Create a new one</Button>
      {isAsking && (
        <Dialog title="Create a new key?" onClose={() => setIsAsking(false)}>
          <p class="soft">The current key keeps working for {graceHours} hours, so you have time to replace it.</p>
          <div class="row">
            <Button look="primary" isPending={rotate.isPending} onClick={() => rotate.run(undefined)}>
              Create key
            </Button>
            <Button onClick={() => setIsAsking(false)}>Cancel</Button>
          </div>
        </Dialog>
      )}
    </>
  );
}
