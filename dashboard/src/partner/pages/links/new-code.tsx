import type { JSX } from "preact";
import { take } from "../../../api/client.ts";
import { useAction } from "../../../api/use-action.ts";
import { Dialog } from "../../../components/dialog.tsx";
import { Form, TextField, type Values } from "../../../components/form.tsx";
import { partnerKey, usePartner } from "../../access.tsx";
import { partnerApi } from "../../client.ts";

export function NewCode({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const { param } = usePartner();
  const add = useAction(
    ({ code = "" }: Values) =>
      take(partnerApi.programs[":programId"].partners[":partnerId"].links.$post({ param, json: { code } })),
    {
      failsIn: "form",
      done: ({ data }) => `${data.code} was added.`,
      refreshes: [`${partnerKey(param)}links`],
      onDone: onClose,
    },
  );
  return (
    <Dialog title="Add a code" onClose={onClose}>
      <Form action={add} submit="Add code" onCancel={onClose}>
        <TextField
          name="code"
          label="Code"
          hint="2 to 64 letters, digits, hyphens or underscores, with a letter or digit at each end. All your codes credit you. A code can't be changed later."
        />
      </Form>
    </Dialog>
  );
}
