import type { JSX } from "preact";
import { Button } from "../../components/button.tsx";
import { CrossIcon, PlusIcon } from "../../components/icons.tsx";
import { currencyName } from "../../format.ts";
import { type Condition, type ConditionKind, conditionKinds, freeKinds } from "./conditions.ts";
import { Choice, Typed } from "./controls.tsx";
import type { Earns, RuleValues } from "./rule-values.ts";

export interface RuleProps {
  readonly rule: RuleValues;
  /** The prefix of the rule's field names. */
  readonly name: string;
  readonly currency: string;
  /** False if a rule can't earn a percentage, because the policy counts a unit. */
  readonly hasRates: boolean;
  readonly onChange: (change: Partial<RuleValues>) => void;
}

/** Edits a rule as a sentence: "On products pro, team and renewals partners earn a percentage 10 %". */
export function RuleSentence(props: RuleProps): JSX.Element {
  const { rule, onChange } = props;
  const { conditions } = rule;
  const [addable] = freeKinds(conditions);
  return (
    <div class="rule-sentence">
      <Conditions {...props} />
      <div class="rule-line">
        <Earning {...props} />
        {conditions.length > 0 && addable !== undefined && (
          <span class="add-condition">
            <Button look="quiet" onClick={() => onChange({ conditions: [...conditions, { kind: addable, text: "" }] })}>
              <PlusIcon /> Add condition
            </Button>
          </span>
        )}
      </div>
    </div>
  );
}

const everything = "everything";
type Chosen = ConditionKind | typeof everything;

function Conditions({ rule: { conditions }, name, onChange }: RuleProps): JSX.Element {
  const put = (next: readonly Condition[]) => onChange({ conditions: next });
  return (
    <>
      {(conditions.length === 0 ? [undefined] : conditions).map((condition, index) => (
        <ConditionField
          key={index}
          condition={condition}
          others={conditions.filter((other) => other !== condition)}
          name={name}
          place={index}
          onChange={(next) => put(next === undefined ? [] : conditions.toSpliced(index, 1, next))}
          onRemove={() => put(conditions.toSpliced(index, 1))}
        />
      ))}
    </>
  );
}

interface ConditionFieldProps {
  readonly condition: Condition | undefined;
  readonly others: readonly Condition[];
  readonly name: string;
  readonly place: number;
  readonly onChange: (condition: Condition | undefined) => void;
  readonly onRemove: () => void;
}

function ConditionField({ condition, others, name, place, onChange, onRemove }: ConditionFieldProps): JSX.Element {
  const options = freeKinds(others).map((kind) => [kind, conditionKinds[kind].title] as const);
  return (
    <div class="rule-line">
      <span class="rule-word">{place === 0 ? "On" : "and"}</span>
      <Choice<Chosen>
        name={`${name}.condition.${place}`}
        label={place === 0 ? "Applies to" : "Condition"}
        value={condition?.kind ?? everything}
        options={others.length === 0 ? [...options, [everything, "everything else"]] : options}
        onChange={(kind) => onChange(kind === everything ? undefined : { kind, text: "" })}
      />
      {condition !== undefined && <ConditionText condition={condition} name={name} onChange={onChange} />}
      {others.length > 0 && (
        <Button look="quiet" label="Remove condition" onClick={onRemove}>
          <CrossIcon />
        </Button>
      )}
    </div>
  );
}

interface ConditionTextProps {
  readonly condition: Condition;
  readonly name: string;
  readonly onChange: (condition: Condition) => void;
}

function ConditionText({ condition, name, onChange }: ConditionTextProps): JSX.Element | null {
  const put = (text: string) => onChange({ ...condition, text });
  switch (condition.kind) {
    case "products":
      return (
        <div class="rule-products">
          <Typed
            name={`${name}.when.productIds`}
            label="Product IDs"
            placeholder="IDs, such as pro, team"
            value={condition.text}
            onChange={put}
          />
        </div>
      );
    case "months":
      return (
        <Typed
          name={`${name}.when.withinMonths`}
          label="Months"
          unit="months"
          inputMode="numeric"
          value={condition.text}
          onChange={put}
        />
      );
    default:
      return null;
  }
}

const earnings = [
  ["rate", "a percentage"],
  ["amount", "an amount for each"],
  ["nothing", "nothing"],
] as const satisfies readonly (readonly [Earns, string])[];

const Earning = ({ rule: { earns, rate, amount }, name, currency, hasRates, onChange }: RuleProps): JSX.Element => (
  <>
    <span class="rule-word">partners earn</span>
    <Choice
      name={`${name}.earns`}
      label="Partners earn"
      value={earns}
      options={hasRates ? earnings : earnings.filter(([value]) => value !== "rate")}
      onChange={(next) => onChange({ earns: next })}
    />
    {earns === "rate" && (
      <Typed
        name={`${name}.rateBps`}
        label="Rate"
        unit="%"
        inputMode="decimal"
        value={rate}
        onChange={(next) => onChange({ rate: next })}
      />
    )}
    {earns === "amount" && (
      <Typed
        name={`${name}.amountCents`}
        label="Amount"
        unit={currencyName(currency)}
        inputMode="decimal"
        value={amount}
        onChange={(next) => onChange({ amount: next })}
      />
    )}
  </>
);
