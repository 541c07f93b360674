import type { JSX } from "preact";
import { take } from "../../../api/client.ts";
import { Dialog } from "../../../components/dialog.tsx";
import { Form } from "../../../components/form.tsx";
import { type AboutWebhook, useWebhookForm, webhookApi } from "./queries.ts";
import { chosenTypes, WebhookFields } from "./webhook-fields.tsx";

export function EditWebhook({ of, onClose }: AboutWebhook): JSX.Element {
  const edit = useWebhookForm(
    of,
    (param, values) => {
      const { description = "" } = values;
      const url = values.url?.trim() ?? "";
      const json = {
        // The URL is sent only if it changed, because a new URL requires the member to confirm their identity.
        ...(url !== of.url && { url }),
        description: description.trim(),
        types: chosenTypes(values),
      };
      return take(webhookApi.$patch({ param, json }));
    },
    { done: "Saved.", onDone: onClose },
  );
  return (
    <Dialog title="Edit webhook" onClose={onClose}>
      <p class="soft">
        Changes apply to all later deliveries, including retries. A new URL gets an example first. Events wait until it
        has answered the example with 2xx.
      </p>
      <Form action={edit} submit="Save" onCancel={onClose}>
        <WebhookFields initial={of} />
      </Form>
    </Dialog>
  );
}
