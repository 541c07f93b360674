import type { JSX } from "preact";
import { api, take } from "../../../api/client.ts";
import { useAction } from "../../../api/use-action.ts";
import { Dialog } from "../../../components/dialog.tsx";
import { Form, type Values } from "../../../components/form.tsx";
import { useProgram } from "../../../session.tsx";
import { type AboutWebhook, paramOfWebhook, webhookQueryKeys } from "./queries.ts";
import { chosenTypes, WebhookFields } from "./webhook-fields.tsx";

export function EditWebhook({ of, onClose }: AboutWebhook): JSX.Element {
  const { program } = useProgram();
  const edit = useAction(
    async (values: Values) => {
      const { description = "" } = values;
      const url = values.url?.trim() ?? "";
      const json = {
        // Whoever changes it has to confirm who they are.
        ...(url !== of.url && { url }),
        description: description.trim(),
        types: chosenTypes(values),
      };
      const param = paramOfWebhook(program, of);
      return take(api.programs[":programId"].webhooks[":webhookId"].$patch({ param, json }));
    },
    { done: "Saved.", failsIn: "form", refreshes: webhookQueryKeys(program), onDone: onClose },
  );
  return (
    <Dialog title="Edit webhook" onClose={onClose}>
      <p class="soft">Changes apply to the next delivery, also of events that wait to be tried again.</p>
      <Form action={edit} submit="Save" onCancel={onClose}>
        <WebhookFields initial={of} />
      </Form>
    </Dialog>
  );
}
