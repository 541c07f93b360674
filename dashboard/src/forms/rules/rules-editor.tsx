import "./rules.css";
import type { JSX } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { maxRules } from "#domain/rules.ts";
import { Button } from "../../components/button.tsx";
import { CrossIcon, DownIcon, PlusIcon, UpIcon } from "../../components/icons.tsx";
import { Typed } from "./controls.tsx";
import { type RuleProps, RuleSentence } from "./rule-sentence.tsx";
import { newRule, parseRules, type RuleValues } from "./rule-values.ts";

interface RulesEditorProps {
  /** JSON of the rules in the form in which the user types them. */
  readonly value: string;
  /** The currency of the amounts, or their unit. */
  readonly currency: string;
  readonly hasRates: boolean;
  readonly onChange: (value: string) => void;
}

export function RulesEditor({ value, currency, hasRates, onChange }: RulesEditorProps): JSX.Element {
  const rules = parseRules(value);
  const section = useRef<HTMLElement>(null);
  const nextFocus = useRef<string | undefined>(undefined);
  const [said, setSaid] = useState("");
  useLayoutEffect(() => {
    if (nextFocus.current === undefined) return;
    section.current?.querySelector<HTMLElement>(nextFocus.current)?.focus();
    nextFocus.current = undefined;
  });
  const put = (next: readonly RuleValues[], focus?: string, news = "") => {
    nextFocus.current = focus;
    setSaid(news);
    onChange(JSON.stringify(next));
  };
  const move = (from: number, to: number) => {
    const moved = rules.slice(from, from + 1);
    // At an end of the list, the button that moved the rule is disabled, so the focus moves to the button for the
    // opposite direction.
    const isUpNext = to === rules.length - 1 || (to < from && to > 0);
    const [focus] = moved.map(({ id }) => buttonOf(id, isUpNext ? "Move up" : "Move down"));
    put(rules.toSpliced(from, 1).toSpliced(to, 0, ...moved), focus, `Moved to position ${to + 1} of ${rules.length}.`);
  };
  const remove = (index: number) => {
    const next = rules.toSpliced(index, 1);
    const neighbor = next[index] ?? next[index - 1];
    put(next, neighbor === undefined ? addButton : buttonOf(neighbor.id, "Remove rule"), "Rule removed.");
  };
  const add = () => {
    const rule = newRule(rules);
    put([...rules, rule], `${itemOf(rule.id)} select`);
  };
  return (
    <section ref={section} class="rules" aria-labelledby="rules-title">
      <div>
        <h3 id="rules-title">Rules</h3>
        <p class="hint">
          For products, first sales, renewals and more. The first rule that matches an item of a sale applies.
        </p>
      </div>
      <input type="hidden" name="rules" value={value} />
      {rules.length > 0 && (
        <ol>
          {rules.map((rule, index) => (
            <RuleItem
              key={rule.id}
              rule={rule}
              currency={currency}
              hasRates={hasRates}
              position={index + 1}
              isLast={index === rules.length - 1}
              name={`rules.${index}`}
              onChange={(change) => put(rules.with(index, { ...rule, ...change }))}
              onMove={(by) => move(index, index + by)}
              onRemove={() => remove(index)}
            />
          ))}
        </ol>
      )}
      <div class="row add-rule">
        <Button isDisabled={rules.length >= maxRules} onClick={add}>
          <PlusIcon /> Add rule
        </Button>
        {rules.length >= maxRules && <span class="hint">A commission has at most {maxRules} rules.</span>}
      </div>
      <p class="unseen" role="status">
        {said}
      </p>
    </section>
  );
}

const itemOf = (id: number): string => `[data-rule="${id}"]`;
const buttonOf = (id: number, label: string): string => `${itemOf(id)} [aria-label="${label}"]`;
const addButton = ".add-rule button";

interface RuleItemProps extends RuleProps {
  readonly position: number;
  readonly isLast: boolean;
  readonly onMove: (by: -1 | 1) => void;
  readonly onRemove: () => void;
}

const RuleItem = ({ position, isLast, onMove, onRemove, ...props }: RuleItemProps): JSX.Element => (
  <li data-rule={props.rule.id}>
    <fieldset class="rule">
      <legend class="unseen">Rule {position}</legend>
      <div class="rule-head">
        <strong aria-hidden="true">{position}</strong>
        <Typed
          name={`${props.name}.label`}
          label="Name"
          placeholder="Name (optional)"
          value={props.rule.label}
          onChange={(label) => props.onChange({ label })}
        />
        <span class="rule-buttons">
          <Button look="quiet" label="Move up" isDisabled={position === 1} onClick={() => onMove(-1)}>
            <UpIcon />
          </Button>
          <Button look="quiet" label="Move down" isDisabled={isLast} onClick={() => onMove(1)}>
            <DownIcon />
          </Button>
          <Button look="quiet" label="Remove rule" onClick={onRemove}>
            <CrossIcon />
          </Button>
        </span>
      </div>
      <RuleSentence {...props} />
    </fieldset>
  </li>
);
