import type { JSX } from "preact";
import { api, take } from "../../../api/client.ts";
import { useAction } from "../../../api/use-action.ts";
import { Dialog } from "../../../components/dialog.tsx";
import { Form, SelectField, type Values } from "../../../components/form.tsx";
import { Notice } from "../../../components/notice.tsx";
import { parseWhole } from "../../../forms/parse-numbers.ts";
import { useProgram } from "../../../session.tsx";
import { type AboutKey, keyQueryKeys, paramOfKey, showOnce, twinOf } from "./key.ts";

export function RotateKey({ of, onClose }: AboutKey): JSX.Element {
  const { program } = useProgram();
  const rotate = useAction(
    async ({ graceHours = "" }: Values) => {
      const param = paramOfKey(program, of);
      const json = { graceHours: parseWhole(graceHours, "graceHours") };
      return take(api.programs[":programId"]["api-keys"][":keyId"].rotate.$post({ param, json }));
    },
    { failsIn: "form", refreshes: keyQueryKeys(program), onDone: ({ data }) => showOnce(program, data) },
  );
  const older = twinOf(program, of);
  return (
    <Dialog title="Rotate this key?" onClose={onClose}>
      <p>
        <strong>
          <bdi>{of.name}</bdi>
        </strong>{" "}
        gets a new key in place of <code>{of.masked}</code>, with the same scopes and data.
      </p>
      {older !== undefined && (
        <Notice look="warn">
          Two of its keys are active. <code>{older.masked}</code> stops working as soon as you create a third.
        </Notice>
      )}
      <Form action={rotate} submit="Rotate key" onCancel={onClose}>
        <SelectField
          name="graceHours"
          label="Why do you need a new key?"
          value="24"
          options={[
            ["24", "I'm rotating: keep the current key for 24 hours"],
            ["0", "It leaked: end the current key now"],
          ]}
        />
      </Form>
    </Dialog>
  );
}
