import type { ComponentChildren, JSX } from "preact";
import { api, take } from "../api/client.ts";
import { useAction } from "../api/use-action.ts";
import { Form, SelectField, TextField, type Values } from "../components/form.tsx";
import { useProgram } from "../session.tsx";
import { useDraft } from "../use-draft.ts";
import { type Policy, policyValues, readPolicy } from "./policy.ts";
import { PolicyExample } from "./policy-example.tsx";

const types = [
  ["percent", "A percentage of the sale"],
  ["flat", "A fixed amount"],
] as const;

const scopes = [
  ["lifetime", "Every sale to a customer"],
  ["recurring", "Sales in a customer's first months"],
  ["one_time", "A customer's first sale only"],
] as const;

interface PolicyFormProps {
  /** Default: the program's own policy. */
  readonly partner?: { readonly id: number };
  readonly current?: Policy | undefined;
  readonly beside?: ComponentChildren;
  readonly onDone?: () => void;
}

export function PolicyForm({ partner, current, beside, onDone }: PolicyFormProps): JSX.Element {
  const { program } = useProgram();
  const { currency } = program;
  const draftKey = `program ${program.id} policy ${partner?.id ?? ""}`;
  const draft = useDraft(draftKey, policyValues(current, currency));
  const { type, scope } = draft.values;
  const set = useAction(
    async (values: Values) => {
      const param = { programId: String(program.id) };
      const json = { ...readPolicy(values, currency), partnerId: partner?.id };
      return take(api.programs[":programId"]["commission-policy"].$put({ param, json }));
    },
    {
      failsIn: "form",
      done: "Commission saved.",
      refreshes: [`program ${program.id} `],
      onDone: () => {
        draft.markSaved();
        onDone?.();
      },
    },
  );
  return (
    <Form action={set} submit="Save commission" draft={draft} beside={beside}>
      <div class="columns">
        <SelectField name="type" label="Partners earn" options={types} />
        {type === "percent" ? (
          <TextField key="rate" name="rateBps" label="Rate" unit="%" inputMode="decimal" />
        ) : (
          <TextField key="amount" name="amountCents" label="Amount" unit={currency} inputMode="decimal" />
        )}
        <SelectField name="scope" label="Applies to" options={scopes} />
        {scope === "recurring" && (
          <TextField name="durationMonths" label="Duration" unit="months" inputMode="numeric" />
        )}
        <TextField
          name="holdDays"
          label="Hold period"
          unit="days"
          inputMode="numeric"
          hint="Leaves time for refunds before a commission is approved."
        />
        <TextField
          name="minSaleCents"
          label="Minimum sale"
          unit={currency}
          inputMode="decimal"
          hint="Smaller sales earn nothing."
          isOptional
        />
        <TextField
          name="maxCommissionCents"
          label="Maximum per sale"
          unit={currency}
          inputMode="decimal"
          hint="The most a single sale can earn."
          isOptional
        />
      </div>
      <PolicyExample values={draft.values} />
    </Form>
  );
}
