import type { JSX } from "preact";
import { api, take } from "../../../api/client.ts";
import { useAction } from "../../../api/use-action.ts";
import { Dialog } from "../../../components/dialog.tsx";
import { Form, filled, SelectField, type Values } from "../../../components/form.tsx";
import { paramOf, useProgram } from "../../../session.tsx";
import { useFilters } from "../../../url.ts";
import { showSecretOnce, webhookQueryKeys } from "./queries.ts";
import { chosenTypes, WebhookFields } from "./webhook-fields.tsx";

export function CreateWebhook({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const { program } = useProgram();
  const [, setFilters] = useFilters();
  const create = useAction(
    async (values: Values) => {
      const description = filled(values.description);
      const json = {
        url: values.url?.trim() ?? "",
        ...(description !== undefined && { description }),
        types: chosenTypes(values),
        testMode: values.book === "test",
      };
      return take(api.programs[":programId"].webhooks.$post({ param: paramOf(program), json }));
    },
    {
      failsIn: "form",
      refreshes: webhookQueryKeys(program),
      onDone: ({ data }) => {
        showSecretOnce(program, data);
        setFilters({ webhook: String(data.id) });
      },
    },
  );
  return (
    <Dialog title="Create a webhook" onClose={onClose}>
      <p class="soft">
        An example is sent first. Events from now on are sent once your server has answered the example with 2xx. You'll
        see the signing secret next.
      </p>
      <Form action={create} submit="Create webhook" onCancel={onClose}>
        <WebhookFields />
        <SelectField
          name="book"
          label="Data"
          options={[
            ["live", "Live events"],
            ["test", "Test events"],
          ]}
          hint="You can't change this later."
        />
      </Form>
    </Dialog>
  );
}
