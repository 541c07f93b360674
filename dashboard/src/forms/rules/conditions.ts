import { maxRuleProducts, type RuleConditions } from "#domain/rules.ts";
import { fieldError } from "../../api/failure.ts";
import { parseWhole } from "../parse-numbers.ts";

type Term = keyof RuleConditions;

interface Kind {
  readonly title: string;
  readonly term: Term;
  /** Value in a rule's `when`. Default: the value that the user types. */
  readonly value?: boolean | NonNullable<RuleConditions["interval"]>;
}

/** The conditions that a rule can have. A rule can have only one of the conditions with the same `term`. */
export const conditionKinds = {
  products: { title: "products", term: "productIds" },
  first: { title: "a customer's first sale", term: "isFirst", value: true },
  later: { title: "later sales", term: "isFirst", value: false },
  renewals: { title: "renewals", term: "isRecurring", value: true },
  others: { title: "sales other than renewals", term: "isRecurring", value: false },
  coupon: { title: "sales with a coupon", term: "coupon", value: true },
  noCoupon: { title: "sales without a coupon", term: "coupon", value: false },
  months: { title: "sales in the first", term: "withinMonths" },
  monthly: { title: "monthly subscriptions", term: "interval", value: "monthly" },
  quarterly: { title: "quarterly subscriptions", term: "interval", value: "quarterly" },
  annual: { title: "annual subscriptions", term: "interval", value: "annual" },
} as const satisfies Record<string, Kind>;

export type ConditionKind = keyof typeof conditionKinds;
const allKinds = Object.keys(conditionKinds) as readonly ConditionKind[];

export interface Condition {
  readonly kind: ConditionKind;
  /** The typed text: product IDs, or a number of months. */
  readonly text: string;
}

/** The kinds of condition that can still be added to a rule that has these conditions. */
export const freeKinds = (others: readonly Condition[]): readonly ConditionKind[] =>
  allKinds.filter((kind) => others.every((other) => conditionKinds[other.kind].term !== conditionKinds[kind].term));

const quotedId = /^"(?:[^"\\]|\\.)*"$/;
const listedIds = /\s*"(?:[^"\\]|\\.)*"\s*(?=,|$)|[^,]+/g;

/** Quotes a product ID that the list would otherwise split or trim. */
const writeProduct = (id: string): string =>
  id.includes(",") || id.startsWith('"') || id.trim() !== id ? JSON.stringify(id) : id;

function parseProducts(text: string, name: string): string[] {
  const parts = (text.match(listedIds) ?? []).map((part) => part.trim()).filter(Boolean);
  const ids = [...new Set(parts.map((part) => (quotedId.test(part) ? unquoted(part) : part)))];
  if (ids.length === 0) throw fieldError(name, "Enter one or more product IDs, separated by commas.");
  if (ids.length > maxRuleProducts) throw fieldError(name, `Enter at most ${maxRuleProducts} product IDs.`);
  return ids;
}

function unquoted(part: string): string {
  try {
    return String(JSON.parse(part));
  } catch {
    return part.slice(1, -1);
  }
}

function textOf(term: Term, value: RuleConditions[Term]): string {
  if (term === "productIds") return (value as readonly string[]).map(writeProduct).join(", ");
  return term === "withinMonths" ? String(value) : "";
}

const kindOf = (term: Term, value: RuleConditions[Term]): ConditionKind | undefined =>
  allKinds.find((kind) => {
    const known: Kind = conditionKinds[kind];
    return known.term === term && (known.value === undefined || known.value === value);
  });

export const conditionsOf = (when: RuleConditions): readonly Condition[] =>
  (Object.keys(when) as Term[]).flatMap((term) => {
    const kind = when[term] === undefined ? undefined : kindOf(term, when[term]);
    return kind === undefined ? [] : [{ kind, text: textOf(term, when[term]) }];
  });

/** A rule's conditions in the form in which they are sent. */
export interface SentConditions extends RuleConditions {
  readonly productIds?: string[];
}

/** Reads a rule's conditions; `rule` is the prefix of its field names. Throws an error on the first invalid one. */
export function readConditions(conditions: readonly Condition[], rule: string): SentConditions {
  return Object.assign(
    {},
    ...conditions.map(({ kind, text }) => {
      const { term, value }: Kind = conditionKinds[kind];
      return { [term]: value ?? typed(term, text, `${rule}.when.${term}`) };
    }),
  ) as SentConditions;
}

const typed = (term: Term, text: string, name: string): string[] | number =>
  term === "productIds" ? parseProducts(text, name) : parseWhole(text, name);
