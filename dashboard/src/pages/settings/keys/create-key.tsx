import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { api, take } from "../../../api/client.ts";
import { useAction } from "../../../api/use-action.ts";
import { Dialog } from "../../../components/dialog.tsx";
import { Form, SelectField, TextField, type Values } from "../../../components/form.tsx";
import { bookTitles, type KeyBook } from "../../../key-grants.ts";
import { paramOf, useProgram } from "../../../session.tsx";
import { keyQueryKeys, showOnce } from "./key.ts";
import { chosenScopes, ScopeFields } from "./scope-fields.tsx";

const bookOf = (text: string | undefined): KeyBook => (text === "test" ? "test" : "both");

export function CreateKey({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const { program } = useProgram();
  const [book, setBook] = useState(bookOf(undefined));
  const create = useAction(
    async ({ name = "", ...values }: Values) => {
      const json = { name, scopes: chosenScopes(values), book: bookOf(values.book) };
      return take(api.programs[":programId"]["api-keys"].$post({ param: paramOf(program), json }));
    },
    { failsIn: "form", refreshes: keyQueryKeys(program), onDone: ({ data }) => showOnce(program, data) },
  );
  return (
    <Dialog title="Create an API key" onClose={onClose}>
      <p class="soft">Give each system a key of its own, with no more scopes than it needs.</p>
      <Form action={create} submit="Create key" onCancel={onClose}>
        <TextField name="name" label="Name" hint="The system that will use it, such as “Shop backend”." />
        <ScopeFields initial={["track"]} isTestOnly={book === "test"} />
        <SelectField
          name="book"
          label="Data"
          options={Object.entries(bookTitles)}
          onInput={(chosen) => setBook(bookOf(chosen))}
          hint="A test-only key works only in test mode. You can't change this later."
        />
      </Form>
    </Dialog>
  );
}
