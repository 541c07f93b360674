import type { JSX } from "preact";
import { api, take } from "../../api/client.ts";
import { useAction } from "../../api/use-action.ts";
import { Form, TextField, type Values } from "../../components/form.tsx";

export function ChangeName({ name }: { readonly name: string }): JSX.Element {
  const change = useAction(
    ({ name = "" }: Values) => take(api.auth["update-user"].$post({ json: { name: name.trim() } })),
    { failsIn: "form", refreshes: ["session", "members of "], done: "Name changed." },
  );
  return (
    <section class="account-section">
      <h2>Name</h2>
      <Form action={change} submit="Change name">
        <TextField
          name="name"
          label="Name"
          value={name}
          autocomplete="name"
          hint="Members of your workspaces see it."
        />
      </Form>
    </section>
  );
}
