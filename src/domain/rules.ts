import { addMonthsUtc } from "./calendar.ts";
import type { SaleItem } from "./items.ts";
import { shareOf } from "./money.ts";
import type { PolicyType } from "./policy-terms.ts";
import type { SubscriptionInterval } from "./sale-type.ts";

export const maxRules = 20;
export const maxRuleProducts = 100;
/** The largest amount per piece. The sum of a hundred items of the largest quantity then stays below 2^53. */
export const maxRuleAmountCents = 10 ** 9;

/** Conditions of a rule. All that are set must be met. `productIds` applies to the item, the others to the sale. */
export interface RuleConditions {
  readonly productIds?: readonly string[] | undefined;
  readonly isRecurring?: boolean | undefined;
  /**
   * True if no sale decided earlier has used the customer's `one_time` commission: the only one that a policy with
   * scope `one_time` pays for a customer.
   */
  readonly isFirst?: boolean | undefined;
  /** The sale must be at most this many calendar months after the customer's first attributed sale. */
  readonly withinMonths?: number | undefined;
  readonly interval?: SubscriptionInterval | undefined;
  /** True if the sale has a valid coupon of the partner. */
  readonly coupon?: boolean | undefined;
}

/** The commission for the items that the rule covers: a share, an amount per piece, or nothing. */
export interface RuleTerms {
  readonly rateBps?: number | undefined;
  readonly amountCents?: number | undefined;
  readonly excluded?: true | undefined;
}

export interface Rule extends RuleTerms {
  readonly label?: string | undefined;
  readonly when: RuleConditions;
}

export interface RuledSale {
  readonly items: readonly SaleItem[];
  readonly occurredAt: number;
  readonly isRecurring: boolean;
  readonly interval: SubscriptionInterval | null;
  readonly firstAttributedSaleAt: number | undefined;
  readonly isOneTimeTaken: boolean;
  /** True if the sale has a valid coupon of its partner. */
  readonly hasCoupon: boolean;
}

/** The items of a sale that one rule decides. `rule` counts from 0, and is null for the policy's own terms. */
export interface ItemGroup extends RuleTerms {
  readonly rule: number | null;
  readonly label?: string | undefined;
  readonly baseCents: number;
  /** The number of pieces. Set for a rule with an amount per piece. */
  readonly quantity?: number | undefined;
  /** Rounded half up. */
  readonly cents: number;
}

interface RuledPolicy {
  readonly type: PolicyType;
  readonly rateBps: number | null;
  readonly amountCents: number | null;
  readonly rules: readonly Rule[] | null;
}

/** True within this many calendar months of the customer's first attributed sale. */
export const isWithinMonths = (
  { firstAttributedSaleAt: first, occurredAt }: Pick<RuledSale, "firstAttributedSaleAt" | "occurredAt">,
  months: number,
): boolean => first === undefined || occurredAt <= addMonthsUtc(first, months);

function covers({ when }: Rule, { productId }: SaleItem, sale: RuledSale): boolean {
  const { productIds, isRecurring, isFirst, withinMonths, interval, coupon } = when;
  return (
    (productIds === undefined || (productId !== null && productIds.includes(productId))) &&
    (isRecurring === undefined || isRecurring === sale.isRecurring) &&
    (isFirst === undefined || isFirst !== sale.isOneTimeTaken) &&
    (withinMonths === undefined || isWithinMonths(sale, withinMonths)) &&
    (interval === undefined || interval === sale.interval) &&
    (coupon === undefined || coupon === sale.hasCoupon)
  );
}

/** Groups the items by the rule that covers them. Items that no rule covers come last. */
export function itemGroups(policy: RuledPolicy, sale: RuledSale): readonly ItemGroup[] {
  const rules = policy.rules ?? [];
  const byRule = Map.groupBy(sale.items, (item) => {
    const rule = rules.findIndex((each) => covers(each, item, sale));
    return rule === -1 ? rules.length : rule;
  });
  return [...byRule]
    .sort(([a], [b]) => a - b)
    .map(([index, items]) => {
      const rule = rules[index];
      return rule === undefined ? ownGroup(policy, items) : ruleGroup(rule, index, items);
    });
}

const baseOf = (items: readonly SaleItem[]): number => items.reduce((sum, { amountCents }) => sum + amountCents, 0);

function ownGroup({ type, rateBps, amountCents }: RuledPolicy, items: readonly SaleItem[]): ItemGroup {
  const baseCents = baseOf(items);
  if (type === "flat") return { rule: null, baseCents, amountCents: amountCents ?? 0, cents: amountCents ?? 0 };
  return { rule: null, baseCents, rateBps: rateBps ?? 0, cents: shareOf(baseCents, rateBps ?? 0, 10_000) };
}

function ruleGroup({ label, ...rule }: Rule, index: number, items: readonly SaleItem[]): ItemGroup {
  const baseCents = baseOf(items);
  const group = { rule: index, ...(label !== undefined && { label }), baseCents };
  const { rateBps, amountCents } = rule;
  if (rateBps !== undefined) return { ...group, rateBps, cents: shareOf(baseCents, rateBps, 10_000) };
  if (amountCents === undefined) return { ...group, excluded: true, cents: 0 };
  const quantity = items.reduce((sum, item) => sum + item.quantity, 0);
  return { ...group, amountCents, quantity, cents: amountCents * quantity };
}
