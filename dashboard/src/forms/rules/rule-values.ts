import { writeDecimal } from "#domain/currency.ts";
import type { Rule } from "#domain/rules.ts";
import { filled } from "../../components/form.tsx";
import { parseMoney, parsePercent } from "../parse-numbers.ts";
import { type Condition, conditionsOf, readConditions, type SentConditions } from "./conditions.ts";

export type Earns = "rate" | "amount" | "nothing";

/** A rule in the form in which the user types it. */
export interface RuleValues {
  /** Identifies the rule when it is moved. */
  readonly id: number;
  readonly label: string;
  readonly conditions: readonly Condition[];
  readonly earns: Earns;
  readonly rate: string;
  readonly amount: string;
}

export const parseRules = (json: string): readonly RuleValues[] =>
  json === "" ? [] : (JSON.parse(json) as readonly RuleValues[]);

const earnsOf = ({ rateBps, amountCents }: Rule): Earns =>
  rateBps !== undefined ? "rate" : amountCents === undefined ? "nothing" : "amount";

export const percentValue = (rateBps: number): string => writeDecimal(rateBps, 2).replace(/\.?0+$/, "");

export const writeRules = (rules: readonly Rule[], money: (cents: number | undefined) => string): string =>
  JSON.stringify(
    rules.map(
      (rule, id): RuleValues => ({
        id,
        label: rule.label ?? "",
        conditions: conditionsOf(rule.when),
        earns: earnsOf(rule),
        rate: rule.rateBps === undefined ? "" : percentValue(rule.rateBps),
        amount: money(rule.amountCents),
      }),
    ),
  );

/** The rules of a policy that counts a unit: each percentage becomes an amount. */
export const withoutRates = (json: string): string =>
  JSON.stringify(parseRules(json).map((rule) => (rule.earns === "rate" ? { ...rule, earns: "amount" } : rule)));

export const newRule = (rules: readonly RuleValues[]): RuleValues => ({
  id: Math.max(-1, ...rules.map(({ id }) => id)) + 1,
  label: "",
  rate: "",
  amount: "",
  earns: "rate",
  conditions: [{ kind: "products", text: "" }],
});

interface SentRule extends Rule {
  readonly when: SentConditions;
}

/** Reads the typed rules. Throws an error on the first invalid field. */
export const readRules = (json: string, currency: string): SentRule[] =>
  parseRules(json).map(({ label, conditions, earns, rate, amount }, index) => {
    const rule = `rules.${index}`;
    const name = filled(label);
    return {
      ...(name !== undefined && { label: name }),
      when: readConditions(conditions, rule),
      ...(earns === "rate" && { rateBps: parsePercent(rate, `${rule}.rateBps`) }),
      ...(earns === "amount" && { amountCents: parseMoney(amount, currency, `${rule}.amountCents`) }),
      ...(earns === "nothing" && { excluded: true as const }),
    };
  });
