import type { JSX } from "preact";
import { take } from "../../../api/client.ts";
import { useAction } from "../../../api/use-action.ts";
import { Dialog } from "../../../components/dialog.tsx";
import { Form, type Values } from "../../../components/form.tsx";
import { useProgram } from "../../../session.tsx";
import { type AboutWebhook, paramOfWebhook, webhookApi, webhookQueryKeys } from "./queries.ts";

export function DisableWebhook({ of, onClose }: AboutWebhook): JSX.Element {
  const { program } = useProgram();
  const disable = useAction(
    (_: Values) => {
      const param = paramOfWebhook(program, of);
      const json = { status: "disabled" } as const;
      return take(webhookApi.$patch({ param, json }));
    },
    { done: "Disabled.", failsIn: "form", refreshes: webhookQueryKeys(program), onDone: onClose },
  );
  return (
    <Dialog title="Disable this webhook?" onClose={onClose}>
      <Form action={disable} submit="Disable webhook" onCancel={onClose}>
        <p class="soft">
          Nothing is sent until you enable it again. You can then send the events that it missed in the last 30 days.
        </p>
      </Form>
    </Dialog>
  );
}
