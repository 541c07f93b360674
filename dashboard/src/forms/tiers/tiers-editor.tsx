import "../rules/rules.css";
import type { JSX } from "preact";
import { maxTierSteps } from "#domain/tiers.ts";
import { Button } from "../../components/button.tsx";
import { CrossIcon, PlusIcon } from "../../components/icons.tsx";
import { Choice, Typed } from "../rules/controls.tsx";
import { newTiers, parseTiers, type StepValues, type TierValues } from "./tier-values.ts";

const metrics = [
  ["sales", "number of sales"],
  ["revenue", "revenue"],
] as const;

const periods = [
  ["month", "month"],
  ["quarter", "quarter"],
  ["year", "year"],
] as const;

interface TiersEditorProps {
  /** The tiers as the user types them, as JSON. */
  readonly value: string;
  readonly currency: string;
  /** The unit in which partners earn: `%`, the currency, or the words of the program's unit. */
  readonly earnsUnit: string;
  readonly onChange: (value: string) => void;
}

/**
 * Edits tiers in a form that reads like a sentence: "By number of sales in a month, from sale 11 on partners earn 25
 * %".
 */
export function TiersEditor({ value, currency, earnsUnit, onChange }: TiersEditorProps): JSX.Element {
  const tiers = parseTiers(value);
  const put = (next: TierValues | undefined) => onChange(next === undefined ? "" : JSON.stringify(next));
  const add = () => {
    const { steps, ...others } = tiers ?? { ...newTiers, steps: [] };
    put({ ...others, steps: tiers === undefined ? newTiers.steps : [...steps, { threshold: "", earns: "" }] });
  };
  return (
    <section class="rules" aria-labelledby="tiers-title">
      <div>
        <h3 id="tiers-title">Tiers</h3>
        <p class="hint">
          Partners who sell more earn a different rate on later sales, except on items that a rule covers.
        </p>
      </div>
      <input type="hidden" name="tiers" value={value} />
      {tiers !== undefined && (
        <fieldset class="rule">
          <legend class="unseen">Tiers</legend>
          <div class="rule-line">
            <span class="rule-word">By</span>
            <Choice
              name="tiers.metric"
              label="Counted"
              value={tiers.metric}
              options={metrics}
              onChange={(metric) => put({ ...tiers, metric })}
            />
            <span class="rule-word">in a</span>
            <Choice
              name="tiers.period"
              label="Period"
              value={tiers.period}
              options={periods}
              onChange={(period) => put({ ...tiers, period })}
            />
          </div>
          {tiers.steps.map((step, index) => (
            <StepLine
              key={index}
              step={step}
              name={`tiers.${index}`}
              unit={tiers.metric === "sales" ? undefined : currency}
              earnsUnit={earnsUnit}
              onChange={(change) => put({ ...tiers, steps: tiers.steps.with(index, { ...step, ...change }) })}
              onRemove={() =>
                put(tiers.steps.length === 1 ? undefined : { ...tiers, steps: tiers.steps.toSpliced(index, 1) })
              }
            />
          ))}
        </fieldset>
      )}
      <div class="row">
        <Button isDisabled={tiers !== undefined && tiers.steps.length >= maxTierSteps} onClick={add}>
          <PlusIcon /> Add tier
        </Button>
      </div>
    </section>
  );
}

interface StepLineProps {
  readonly step: StepValues;
  readonly name: string;
  /** The currency, if the threshold is a revenue. */
  readonly unit: string | undefined;
  readonly earnsUnit: string;
  readonly onChange: (change: Partial<StepValues>) => void;
  readonly onRemove: () => void;
}

const StepLine = ({ step, name, unit, earnsUnit, onChange, onRemove }: StepLineProps): JSX.Element => (
  <div class="rule-line">
    <span class="rule-word">{unit === undefined ? "from sale" : "from a revenue of"}</span>
    <Typed
      name={`${name}.threshold`}
      label={unit === undefined ? "From sale number" : "From a revenue of"}
      {...(unit !== undefined && { unit })}
      inputMode={unit === undefined ? "numeric" : "decimal"}
      value={step.threshold}
      onChange={(threshold) => onChange({ threshold })}
    />
    <span class="rule-word">on partners earn</span>
    <Typed
      name={`${name}.earns`}
      label="Partners earn"
      unit={earnsUnit}
      inputMode="decimal"
      value={step.earns}
      onChange={(earns) => onChange({ earns })}
    />
    <Button look="quiet" label="Remove tier" onClick={onRemove}>
      <CrossIcon />
    </Button>
  </div>
);
