import type { JSX } from "preact";
import { api, take } from "../../../api/client.ts";
import { useAction } from "../../../api/use-action.ts";
import { Dialog } from "../../../components/dialog.tsx";
import { Form } from "../../../components/form.tsx";
import { Hour } from "../../../components/time.tsx";
import { useProgram } from "../../../session.tsx";
import { type AboutKey, isReplaced, keyQueryKeys, paramOfKey } from "./key.ts";

export function EndKey({ of, onClose }: AboutKey): JSX.Element {
  const { program } = useProgram();
  const { name, masked, lastUsedAt } = of;
  const end = useAction(
    async () => take(api.programs[":programId"]["api-keys"][":keyId"].$delete({ param: paramOfKey(program, of) })),
    {
      done: `${masked} no longer works.`,
      failsIn: "form",
      refreshes: keyQueryKeys(program),
      onDone: onClose,
    },
  );
  return (
    <Dialog title="End this key now?" onClose={onClose}>
      <p>
        Calls that use{" "}
        <strong>
          <bdi>{name}</bdi>
        </strong>{" "}
        (<code>{masked}</code>) are refused from now on. You can't undo this.
      </p>
      {!isReplaced(program, of) && (
        <p>
          No newer key replaces this key, so systems that use it stop working. To replace it without downtime, rotate it
          instead.
        </p>
      )}
      <p class="soft">
        {lastUsedAt === null ? (
          "It was never used."
        ) : (
          <>
            Last used: <Hour at={lastUsedAt} />
          </>
        )}
      </p>
      <Form action={end} submit="End key now" submitLook="destructive" onCancel={onClose}>
        {null}
      </Form>
    </Dialog>
  );
}
