import type { JSX } from "preact";
import { useUpdateProgram } from "../api/update-program.ts";
import { Form, TextField, type Values } from "../components/form.tsx";
import { useProgram } from "../session.tsx";
import { withScheme } from "./with-scheme.ts";

export function WebsiteForm({ onDone }: { readonly onDone: () => void }): JSX.Element {
  const { program } = useProgram();
  const save = useUpdateProgram(({ websiteUrl = "" }: Values) => ({ websiteUrl: withScheme(websiteUrl.trim()) }), {
    failsIn: "form",
    done: "Saved.",
    onDone,
  });
  return (
    <Form action={save} submit="Save">
      <TextField
        name="websiteUrl"
        label="Website"
        inputMode="url"
        value={program.websiteUrl ?? "https://"}
        hint="Where your partners' links lead."
      />
    </Form>
  );
}
