import type { JSX } from "preact";
import { api, take } from "../../../api/client.ts";
import { useAction } from "../../../api/use-action.ts";
import { Dialog } from "../../../components/dialog.tsx";
import { Form, TextField, type Values } from "../../../components/form.tsx";
import { useProgram } from "../../../session.tsx";
import { type AboutKey, keyQueryKeys, paramOfKey, twinOf } from "./key.ts";
import { chosenScopes, ScopeFields } from "./scope-fields.tsx";

export function EditKey({ of, onClose }: AboutKey): JSX.Element {
  const { program } = useProgram();
  const twin = twinOf(program, of);
  const edit = useAction(
    async ({ name = "", ...values }: Values) => {
      const scopes = chosenScopes(values);
      // The scopes are sent only if they changed, because new scopes need a recent sign-in.
      const json = { ...(name !== of.name && { name }), ...(String(scopes) !== String(of.scopes) && { scopes }) };
      return take(api.programs[":programId"]["api-keys"][":keyId"].$patch({ param: paramOfKey(program, of), json }));
    },
    { done: "Saved.", failsIn: "form", refreshes: keyQueryKeys(program), onDone: onClose },
  );
  return (
    <Dialog title="Edit API key" onClose={onClose}>
      <p class="soft">
        Changes to <code>{of.masked}</code>
        {twin && (
          <>
            {" "}
            and <code>{twin.masked}</code>
          </>
        )}{" "}
        take effect at once.
      </p>
      <Form action={edit} submit="Save" onCancel={onClose}>
        <TextField name="name" label="Name" value={of.name} />
        <ScopeFields initial={of.scopes} isTestOnly={of.book === "test"} />
      </Form>
    </Dialog>
  );
}
