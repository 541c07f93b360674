import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { api, take } from "../../api/client.ts";
import { useAction } from "../../api/use-action.ts";
import { Dialog } from "../../components/dialog.tsx";
import { Form, SelectField, TextField, type Values } from "../../components/form.tsx";
import { currencyName } from "../../format.ts";
import { NoteFields, notesOf } from "../../forms/note-fields.tsx";
import { parseMoney } from "../../forms/parse-numbers.ts";
import { useUnits } from "../../forms/units.ts";
import { namedByCode } from "../../named-by-code.ts";
import { currencyOptions } from "../../select-options.ts";
import { paramOf, useProgram } from "../../session.tsx";
import { useDraft } from "../../use-draft.ts";
import { affected, type Balance } from "./queries.ts";

interface AdjustmentProps {
  readonly partner: Pick<Balance, "partnerId" | "partnerCode" | "name" | "currency">;
  /**
   * The reference for each partner. It stays the same until the adjustment is recorded, so that a call sent twice
   * counts once.
   */
  readonly references: Map<number, string>;
  /** True lets the user choose the currency. Default: the partner's currency. */
  readonly hasAnyCurrency?: boolean;
  /** Values that the fields start with. */
  readonly values?: Values;
  readonly onDone?: () => void;
  readonly onClose: () => void;
}

const kinds = [
  ["bonus", "Bonus: you owe more"],
  ["write-off", "Write-off: you owe less"],
] as const;

const noAdjustment = { amountCents: "", reason: "", partnerNote: "", reference: "" };

/** Records a bonus or a deduction. The input is kept if the session ends, but not if the dialog is closed. */
export function Adjustment(props: AdjustmentProps): JSX.Element {
  const { partner, references, hasAnyCurrency = false, values, onDone: onRecorded, onClose } = props;
  const { partnerId } = partner;
  const [currency, setCurrency] = useState(partner.currency);
  const units = useUnits();
  const { program } = useProgram();
  const [usualReference] = useState(() => references.get(partnerId) ?? crypto.randomUUID());
  references.set(partnerId, usualReference);
  const draft = useDraft(`program ${program.id} adjustment of ${partnerId}`, noAdjustment, values);
  const close = () => {
    draft.discard();
    onClose();
  };
  const onDone = () => {
    references.delete(partnerId);
    close();
    onRecorded?.();
  };
  const create = useAction(
    ({ kind, amountCents = "", reference = "", ...notes }: Values) => {
      const cents = parseMoney(amountCents, currency, "amountCents");
      const json = {
        amountCents: kind === "bonus" ? cents : -cents,
        currency,
        ...notesOf(notes),
        reference: reference.trim() || usualReference,
      };
      const param = { ...paramOf(program), partnerId: String(partnerId) };
      return take(api.programs[":programId"].partners[":partnerId"].adjustments.$post({ param, json }));
    },
    { failsIn: "form", done: "Adjustment recorded.", refreshes: affected(program), onDone },
  );
  return (
    <Dialog title={`Adjust the balance of ${namedByCode(partner)}`} onClose={close}>
      <p class="soft">Included in the partner's next payout. You can't change an adjustment, only add another one.</p>
      <Form action={create} submit="Record adjustment" draft={draft} onCancel={close}>
        <div class="columns">
          <SelectField name="kind" label="Type" options={kinds} value={values?.kind} />
          {hasAnyCurrency && (
            <SelectField
              name="currency"
              label="Currency"
              value={currency}
              options={[...(units.data ?? []).map(({ code, other }) => [code, other] as const), ...currencyOptions()]}
              onInput={setCurrency}
            />
          )}
          <TextField name="amountCents" label="Amount" unit={currencyName(currency)} inputMode="decimal" />
          <NoteFields />
          <TextField name="reference" label="Reference" hint="Your own ID, recorded only once." isOptional />
        </div>
      </Form>
    </Dialog>
  );
}
