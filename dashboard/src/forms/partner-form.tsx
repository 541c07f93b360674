import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { api, take } from "../api/client.ts";
import { useAction } from "../api/use-action.ts";
import { Form, filled, TextField, type Values } from "../components/form.tsx";
import { useProgram } from "../session.tsx";

/** Takes in a partner. */
export function PartnerForm({ onDone }: { readonly onDone?: () => void }): JSX.Element {
  const { program } = useProgram();
  const [code, setCode] = useState("");
  const target = program.websiteUrl ?? "https://your-site.example/";
  const create = useAction(
    ({ name = "", code = "", email }: Values) => {
      const json = { name, code, email: filled(email) };
      return take(api.programs[":programId"].partners.$post({ param: { programId: String(program.id) }, json }));
    },
    {
      failsIn: "form",
      done: ({ data }) => `${data.name} is in.`,
      refreshes: [`program ${program.id} `],
      onDone: () => onDone?.(),
    },
  );
  return (
    <Form action={create} submit="Add partner">
      <div class="columns">
        <TextField name="name" label="Name" />
        <TextField
          name="code"
          label="Code"
          onInput={setCode}
          hint={
            <>
              Their link:{" "}
              <span class="breakable">{`${target}${target.includes("?") ? "&" : "?"}aff=${code || "code"}`}</span>
            </>
          }
        />
        <TextField name="email" label="E-mail" type="email" isOptional />
      </div>
    </Form>
  );
}
