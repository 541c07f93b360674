import { addMonthsUtc } from "./calendar.ts";
import type { SaleItem } from "./items.ts";
import { shareOf } from "./money.ts";
import type { PolicyType } from "./policy-terms.ts";
import type { SubscriptionInterval } from "./sale-type.ts";

export const maxRules = 20;
export const maxRuleProducts = 100;
/** Keeps the sum of a hundred items of the largest quantity below 2^53. */
export const maxRuleAmountCents = 10 ** 9;

/** All given conditions must hold. `productIds` apply to the item, the others to the sale. */
export interface RuleConditions {
  readonly productIds?: readonly string[] | undefined;
  readonly isRecurring?: boolean | undefined;
  /** No earlier decided sale has the customer's `one_time` place. */
  readonly isFirst?: boolean | undefined;
  /** Number of calendar months after the customer's first attributed sale. */
  readonly withinMonths?: number | undefined;
  readonly interval?: SubscriptionInterval | undefined;
  /** A valid coupon of the partner was sent with the sale. */
  readonly coupon?: boolean | undefined;
}

/** The commission for its items: a share, an amount per piece, or nothing. */
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
  /** The sale's partner. */
  readonly hasCoupon: boolean;
}

/** The items of a sale that one rule decides. `rule` counts from 0. Null: the policy's own terms. */
export interface ItemGroup extends RuleTerms {
  readonly rule: number | null;
  readonly label?: string | undefined;
  readonly baseCents: number;
  /** Quantity, for a rule with an amount. */
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

/** True until this many calendar months after the first sale are over. */
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

/** Groups the items by the rule that covers them; those under the policy's own terms come last. */
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
