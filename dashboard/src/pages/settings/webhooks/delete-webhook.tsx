import type { JSX } from "preact";
import { useLocation } from "preact-iso/router";
import { take } from "../../../api/client.ts";
import { useAction } from "../../../api/use-action.ts";
import { Dialog } from "../../../components/dialog.tsx";
import { Form, type Values } from "../../../components/form.tsx";
import { useProgram } from "../../../session.tsx";
import { type AboutWebhook, paramOfWebhook, webhookApi, webhookQueryKeys, webhooksAddress } from "./queries.ts";

export function DeleteWebhook({ of, onClose }: AboutWebhook): JSX.Element {
  const { program } = useProgram();
  const { route } = useLocation();
  const remove = useAction((_: Values) => take(webhookApi.$delete({ param: paramOfWebhook(program, of) })), {
    done: "Webhook deleted.",
    failsIn: "form",
    refreshes: webhookQueryKeys(program),
    onDone: () => route(webhooksAddress(program)),
  });
  return (
    <Dialog title="Delete this webhook?" onClose={onClose}>
      <Form action={remove} submit="Delete webhook" submitLook="destructive" onCancel={onClose}>
        <p>
          <strong class="breakable">{of.url}</strong> gets no more events, and its secret and its deliveries are
          deleted. You can't undo this. To stop it for a while, disable it instead.
        </p>
      </Form>
    </Dialog>
  );
}
