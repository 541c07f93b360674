import type { JSX } from "preact";
import { take } from "../../../api/client.ts";
import { Dialog } from "../../../components/dialog.tsx";
import { Form, SelectField } from "../../../components/form.tsx";
import { type AboutWebhook, useWebhookForm, webhookApi } from "./queries.ts";
import { exampleTypes } from "./words.ts";

export function SendExample({ of, onClose }: AboutWebhook): JSX.Element {
  const send = useWebhookForm(of, (param, { type = "" }) => take(webhookApi.example.$post({ param, json: { type } })), {
    done: "The example is on its way. It appears among the deliveries.",
    onDone: onClose,
  });
  return (
    <Dialog title="Send an example event" onClose={onClose}>
      <p class="soft">
        It is signed and sent like any other event, but its objects don't exist. Its ID begins with{" "}
        <code>evt_example_</code>, and it isn't in the feed.
      </p>
      <Form action={send} submit="Send example" onCancel={onClose}>
        <SelectField
          name="type"
          label="Type"
          value={exampleTypes.find((type) => of.types?.includes(type)) ?? "commission.updated"}
          options={exampleTypes.map((type) => [type, type])}
        />
      </Form>
    </Dialog>
  );
}
