import type { JSX } from "preact";
import { api, take } from "../api/client.ts";
import { useAction } from "../api/use-action.ts";
import { Form, TextField, type Values } from "../components/form.tsx";
import { paramOf, useProgram } from "../session.tsx";

export function WebsiteForm({ onDone }: { readonly onDone: () => void }): JSX.Element {
  const { program } = useProgram();
  const save = useAction(
    ({ websiteUrl = "" }: Values) =>
      take(api.programs[":programId"].$patch({ param: paramOf(program), json: { websiteUrl } })),
    { failsIn: "form", done: "Saved.", refreshes: [`program ${program.id} `], onDone },
  );
  return (
    <Form action={save} submit="Save">
      <TextField
        name="websiteUrl"
        label="Website"
        type="url"
        value={program.websiteUrl ?? "https://"}
        hint="Where your partners' links lead."
      />
    </Form>
  );
}
