import type { JSX } from "preact";
import { take } from "../../../api/client.ts";
import { Dialog } from "../../../components/dialog.tsx";
import { Form, SelectField } from "../../../components/form.tsx";
import { parseWhole } from "../../../forms/parse-numbers.ts";
import { useProgram } from "../../../session.tsx";
import { type AboutWebhook, showSecretOnce, useWebhookForm, webhookApi } from "./queries.ts";

export function RotateSecret({ of, onClose }: AboutWebhook): JSX.Element {
  const { program } = useProgram();
  const rotate = useWebhookForm(
    of,
    async (param, { graceHours = "" }) => {
      const json = { graceHours: parseWhole(graceHours, "graceHours") };
      return take(webhookApi.rotate.$post({ param, json }));
    },
    { onDone: ({ data }) => showSecretOnce(program, data) },
  );
  return (
    <Dialog title="Rotate the signing secret?" onClose={onClose}>
      <p class="soft">
        Until the current secret expires, each delivery is signed with both secrets, so your server can accept either
        while you replace it.
      </p>
      <Form action={rotate} submit="Rotate secret" onCancel={onClose}>
        <SelectField
          name="graceHours"
          label="Why do you need a new secret?"
          value="24"
          options={[
            ["24", "I'm rotating: keep the current secret for 24 hours"],
            ["168", "I'm rotating: keep the current secret for seven days"],
            ["0", "It leaked: end the current secret now"],
          ]}
        />
      </Form>
    </Dialog>
  );
}
