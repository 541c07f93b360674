import { addMonthsUtc } from "#domain/calendar.ts";
import type { Policy, VoidReason } from "#domain/commission.ts";
import { amountTerms, earnedBy, limitReason, shareOf } from "./amounts.ts";
import type { RecordedCommission } from "./recorded-commission.ts";

// Doesn't use src/domain/rules.ts, because the audit checks it.

/** The items of a sale that one rule covers, in the form that an explanation contains. */
export interface Group {
  readonly rule: number | null;
  readonly label?: string | undefined;
  readonly baseCents: number;
  readonly rateBps?: number | undefined;
  readonly amountCents?: number | undefined;
  readonly quantity?: number | undefined;
  readonly excluded?: true | undefined;
  readonly cents: number;
}

export interface Outcome {
  readonly groups: readonly Group[];
  readonly uncappedCents: number;
  /** The resulting amount, or the reason for no amount. */
  readonly comesTo: number | VoidReason;
}

/**
 * The facts about a customer's earlier sales that a decision knew. Some sales that are stored now may have been
 * reported later.
 */
interface Past {
  readonly isFirst: boolean;
  readonly leastMonths: number;
}

type Sale = RecordedCommission["sale"];
type Rule = NonNullable<Policy["rules"]>[number];

interface Item {
  readonly productId: string | null;
  readonly amountCents: number;
  readonly quantity: number;
}

/** Parses a JSON array. Returns an empty one for anything else, which another rule reports. */
function listed<T>(text: string): readonly T[] {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}

/** The possible results of the policy's rules. Without rules, there is exactly one. */
export function outcomesOf(
  { commission, sale, first_sold_at }: Pick<RecordedCommission, "commission" | "sale" | "first_sold_at">,
  policy: Policy,
): readonly Outcome[] {
  const items: readonly Item[] =
    sale.items === null
      ? [{ productId: sale.product_id, amountCents: sale.amount_cents, quantity: 1 }]
      : listed<Item>(sale.items);
  const coupons = listed<{ readonly state: string; readonly partnerId?: number }>(sale.coupons ?? "[]");
  const hasCoupon = coupons.some(({ state, partnerId }) => state === "valid" && partnerId === commission.partner_id);
  return pastsOf(policy.rules ?? [], sale, first_sold_at).map((past) => {
    const byRule = Map.groupBy(items, ({ productId }) =>
      (policy.rules ?? []).findIndex(({ when }) => holds(when, productId, { ...sale, hasCoupon }, past)),
    );
    const groups = [...byRule.keys()]
      .sort((a, b) => (a === -1 ? 1 : b === -1 ? -1 : a - b))
      .map((index) => groupOf(policy, index, byRule.get(index) ?? []));
    return outcomeOf(policy, sale, groups);
  });
}

function pastsOf(rules: readonly Rule[], sale: Sale, firstSoldAt: number | null): readonly Past[] {
  const months = [...new Set(rules.flatMap(({ when }) => when.withinMonths ?? []))].sort((a, b) => a - b);
  const isSurelyWithin = (count: number) =>
    firstSoldAt !== null && sale.occurred_at <= addMonthsUtc(firstSoldAt, count);
  const sure = months.find(isSurelyWithin) ?? Number.POSITIVE_INFINITY;
  const least = [...months.filter((count) => count < sure), sure];
  const asksIfFirst = rules.some(({ when }) => when.isFirst !== undefined);
  return (asksIfFirst ? [true, false] : [true]).flatMap((isFirst) =>
    least.map((leastMonths) => ({ isFirst, leastMonths })),
  );
}

type CouponSale = Sale & { readonly hasCoupon: boolean };

function holds(when: Rule["when"], productId: string | null, sale: CouponSale, past: Past): boolean {
  if (when.coupon !== undefined && when.coupon !== sale.hasCoupon) return false;
  if (when.productIds && !when.productIds.some((id) => id === productId)) return false;
  if (when.isRecurring !== undefined && Number(when.isRecurring) !== sale.is_recurring) return false;
  if (when.interval !== undefined && when.interval !== sale.subscription_interval) return false;
  if (when.isFirst !== undefined && when.isFirst !== past.isFirst) return false;
  return when.withinMonths === undefined || when.withinMonths >= past.leastMonths;
}

function groupOf(policy: Policy, index: number, items: readonly Item[]): Group {
  const rule = policy.rules?.[index];
  let baseCents = 0;
  let quantity = 0;
  for (const item of items) {
    baseCents += item.amountCents;
    quantity += item.quantity;
  }
  if (rule === undefined) {
    const { type, amountCents, rateBps } = policy;
    if (type === "flat") return { rule: null, baseCents, amountCents: Number(amountCents), cents: Number(amountCents) };
    return { rule: null, baseCents, rateBps: rateBps ?? 0, cents: shareOf(baseCents, rateBps ?? 0) };
  }
  const { label, rateBps, amountCents } = rule;
  const named = { rule: index, ...(label === undefined ? {} : { label }), baseCents };
  if (rateBps !== undefined) return { ...named, rateBps, cents: shareOf(baseCents, rateBps) };
  return amountCents === undefined
    ? { ...named, excluded: true, cents: 0 }
    : { ...named, amountCents, quantity, cents: amountCents * quantity };
}

function isExcluded(groups: readonly Group[]): boolean {
  const others = groups.filter(({ excluded }) => !excluded);
  return others.length < groups.length && others.every((one) => one.baseCents === 0 && one.quantity === undefined);
}

function outcomeOf(policy: Policy, sale: Sale, groups: readonly Group[]): Outcome {
  const { uncappedCents, earnedCents } = earnedBy(policy, groups);
  const hasAmount =
    amountTerms.some((term) => policy[term] !== null) ||
    (policy.unit === null && groups.some(({ amountCents }) => amountCents !== undefined));
  const reason: VoidReason | undefined = isExcluded(groups)
    ? "excluded_by_rule"
    : hasAmount && policy.currency !== sale.currency
      ? "currency_mismatch"
      : limitReason(policy, sale.amount_cents);
  return { groups, uncappedCents, comesTo: reason ?? earnedCents };
}
