import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";
import { api, take } from "../api/client.ts";
import { type Action, errorMessage, useAction } from "../api/use-action.ts";
import { Button } from "../components/button.tsx";
import { Dialog } from "../components/dialog.tsx";
import { Form, SelectField, TextField, type Values } from "../components/form.tsx";
import { lazy } from "../components/lazy.tsx";
import { Notice } from "../components/notice.tsx";
import { Skeleton } from "../components/states.tsx";
import { currencyName } from "../format.ts";
import { paramOf, useProgram } from "../session.tsx";
import { useDraft } from "../use-draft.ts";
import type { Policy } from "./policy.ts";
import { PolicyExample } from "./policy-example.tsx";
import { describePolicy } from "./policy-text.tsx";
import {
  describeValues,
  limitsOf,
  policyValues,
  readPolicy,
  refuseRulesOutsideScope,
  rulesOf,
  unitOf,
} from "./policy-values.ts";
import { RulesEditor } from "./rules/rules-editor.tsx";
import { TiersEditor } from "./tiers/tiers-editor.tsx";
import { type Others, unaffectedText } from "./unaffected.ts";
import { useUnits } from "./units.ts";

const types = [
  ["percent", "A percentage of the sale"],
  ["flat", "A fixed amount"],
] as const;

const scopes = [
  ["lifetime", "Every sale to a customer"],
  ["recurring", "A customer's first months"],
  ["one_time", "A customer's first sale"],
] as const;

/** The partner or group that the policy belongs to. The program's own policy has neither. */
export interface PolicyOwner {
  readonly partnerId?: number;
  readonly groupId?: number;
}

interface PolicyFormProps {
  /** Default: the program's own policy. */
  readonly owner?: PolicyOwner;
  readonly current?: Policy | undefined;
  /** Required for the program's own policy. */
  readonly others?: Others | undefined;
  readonly beside?: ComponentChildren;
  /** The terms that the form starts with. Default: the current ones. */
  readonly proposed?: Policy;
  readonly onDone?: () => void;
}

export function PolicyForm({ owner, current, others, beside, proposed, onDone }: PolicyFormProps): JSX.Element {
  const { program } = useProgram();
  const { currency } = program;
  const draftKey = `program ${program.id} policy ${JSON.stringify(owner)} ${JSON.stringify(proposed)}`;
  const first = proposed && policyValues(proposed, currency);
  const draft = useDraft(draftKey, policyValues(current, currency), first);
  const { type, scope } = draft.values;
  const unit = unitOf(draft.values);
  const [asking, setAsking] = useState<Values>();
  const set = useAction(
    async (values: Values) => {
      const param = paramOf(program);
      const json = { ...readPolicy(values, currency), ...owner };
      return take(api.programs[":programId"]["commission-policy"].$put({ param, json }));
    },
    {
      failsIn: "form",
      done: "Commission saved.",
      refreshes: [`program ${program.id} `],
      onDone: () => {
        setAsking(undefined);
        draft.markSaved();
        onDone?.();
      },
    },
  );
  /** The first policy is saved at once. A change is shown for confirmation first. */
  const submit = useAction(
    async (values: Values) => {
      refuseRulesOutsideScope(readPolicy(values, currency));
      return values;
    },
    { failsIn: "form", onDone: (values) => (current === undefined ? void set.run(values) : setAsking(values)) },
  );
  const isUnchanged = current !== undefined && !draft.isDirty && [null, currency].includes(current.currency);
  return (
    <>
      {current !== undefined && asking !== undefined && (
        <ConfirmChange
          title={titleOf(owner)}
          before={describePolicy(current)}
          after={describeValues(asking, currency)}
          unaffected={
            owner?.groupId === undefined ? others && unaffectedText(others) : "partners with a custom commission"
          }
          action={{ ...set, run: () => set.run(asking) }}
          onClose={() => setAsking(undefined)}
        />
      )}
      <Form
        action={{ ...submit, failure: submit.failure ?? (asking === undefined ? set.failure : undefined) }}
        submit="Save commission"
        draft={draft}
        isUnchanged={isUnchanged}
        beside={beside}
      >
        <PolicyFields type={type} scope={scope} currency={currency} unit={unit} />
        <RulesEditor
          value={rulesOf(draft.values)}
          currency={unit ?? currency}
          hasRates={unit === undefined}
          onChange={(rules) => draft.set("rules", rules)}
        />
        <TiersEditor
          value={draft.values.tiers ?? ""}
          currency={currency}
          earnsUnit={type === "flat" ? currencyName(unit ?? currency) : "%"}
          onChange={(tiers) => draft.set("tiers", tiers)}
        />
        <PolicyExample values={draft.values} />
        {current !== undefined && <Comparing values={draft.values} owner={owner} />}
      </Form>
    </>
  );
}

const Comparison = lazy(
  async () => ({ default: (await import("./what-if/comparison.tsx")).Comparison }),
  <Skeleton lines={2} />,
);

interface ComparingProps {
  readonly values: Values;
  readonly owner: PolicyOwner | undefined;
}

function Comparing({ values, owner }: ComparingProps): JSX.Element {
  const { program } = useProgram();
  const [isOpen, setIsOpen] = useState(false);
  if (isOpen) {
    const read = () => ({ ...readPolicy(values, program.currency), ...owner });
    return <Comparison read={read} version={JSON.stringify(values)} />;
  }
  return (
    <div class="row">
      <Button onClick={() => setIsOpen(true)}>Compare with the last 90 days</Button>
      <span class="hint">Shows what your sales would have earned. Nothing is changed.</span>
    </div>
  );
}

function titleOf(owner: PolicyOwner | undefined): string {
  if (owner === undefined) return "Change the commission for all partners?";
  return `Change this ${owner.groupId === undefined ? "partner" : "group"}'s commission?`;
}

const hints = {
  minSaleCents: "Smaller sales earn nothing, nor do sales in other currencies.",
  maxCommissionCents: "The most a single sale can earn. Sales in other currencies earn nothing.",
} as const;

interface PolicyFieldsProps {
  readonly type: string | undefined;
  readonly scope: string | undefined;
  readonly currency: string;
  readonly unit: string | undefined;
}

const PolicyFields = ({ type, scope, currency, unit }: PolicyFieldsProps): JSX.Element => (
  <div class="columns">
    <SelectField name="type" label="Partners earn" options={types} />
    {type === "percent" ? (
      <TextField key="rate" name="rateBps" label="Rate" unit="%" inputMode="decimal" />
    ) : (
      <>
        <TextField
          key="amount"
          name="amountCents"
          label="Amount"
          unit={currencyName(unit ?? currency)}
          inputMode="decimal"
        />
        <CountedIn currency={currency} />
      </>
    )}
    <SelectField name="scope" label="Applies to" options={scopes} />
    {scope === "recurring" && <TextField name="durationMonths" label="Duration" unit="months" inputMode="numeric" />}
    <TextField
      name="holdDays"
      label="Hold period"
      unit="days"
      inputMode="numeric"
      hint="Leaves time for refunds before a commission is approved."
    />
    {limitsOf(unit).map(({ name, label }) => (
      <TextField
        key={name}
        name={name}
        label={label}
        unit={currency}
        inputMode="decimal"
        hint={hints[name]}
        isOptional
      />
    ))}
  </div>
);

/** Lets the user choose between money and a unit. Shows nothing if the program has no units. */
function CountedIn({ currency }: { readonly currency: string }): JSX.Element | null {
  const units = useUnits();
  if (!units.data?.length) return null;
  const options = [["", currency] as const, ...units.data.map(({ code, other }) => [code, other] as const)];
  return <SelectField name="unit" label="Paid in" options={options} />;
}

interface ConfirmChangeProps {
  readonly title: string;
  readonly before: string;
  readonly after: string;
  readonly unaffected: string | undefined;
  readonly action: Action<undefined, unknown>;
  readonly onClose: () => void;
}

const ConfirmChange = ({ title, before, after, unaffected, action, onClose }: ConfirmChangeProps): JSX.Element => (
  <Dialog title={title} onClose={onClose}>
    <p>
      <span class="soft">{before}</span> <span aria-hidden="true">→</span>
      <span class="unseen"> changes to </span> <strong>{after}</strong>
    </p>
    <p class="soft breakable">
      Applies to sales from now on. Past sales keep their commission.
      {unaffected && ` Not affected: ${unaffected}.`}
    </p>
    {action.failure && <Notice look="bad">{errorMessage(action.failure)}</Notice>}
    <div class="row">
      <Button look="primary" isPending={action.isPending} onClick={() => action.run(undefined)}>
        Change commission
      </Button>
      <Button onClick={onClose}>Cancel</Button>
    </div>
  </Dialog>
);
