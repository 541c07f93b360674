import { addMonthsUtc, dayMs } from "#domain/calendar.ts";
import { commissionFor, type Earning, type EarningSale, type Policy } from "#domain/commission.ts";
import { itemGroups, type RuleConditions } from "#domain/rules.ts";

export interface Sample {
  readonly sale: EarningSale;
  readonly earning: Earning;
}

interface Asked {
  readonly amountCents: number;
  readonly currency: string;
  /** The current time in milliseconds. */
  readonly now: number;
}

/** Keeps sample sales this far within a limit in months. Must be shorter than the shortest month. */
const slackMs = 3 * dayMs;

/**
 * Returns the time of the customer's first sale: so long before the sample sale that as few other rules as possible
 * cover the sample sale.
 */
function firstSaleBefore({ scope, durationMonths }: Policy, { withinMonths }: RuleConditions, now: number): number {
  const limits = [withinMonths, scope === "recurring" ? (durationMonths ?? 0) : undefined];
  const known = limits.filter((months) => months !== undefined);
  return known.length === 0 ? 0 : addMonthsUtc(now, -Math.min(...known)) + slackMs;
}

/** The values that the condition allows; the value that fewer rules cover comes first. */
const either = (given: boolean | undefined): readonly boolean[] => (given === undefined ? [false, true] : [given]);

function* salesOf(policy: Policy, when: RuleConditions, { amountCents, currency, now }: Asked): Generator<EarningSale> {
  const firstAttributedSaleAt = firstSaleBefore(policy, when, now);
  const terms = { amountCents, currency, occurredAt: now, firstAttributedSaleAt, interval: when.interval ?? null };
  for (const productId of when.productIds ?? [null]) {
    const items = [{ itemId: "1", productId, amountCents, quantity: 1 }];
    for (const isRecurring of either(when.isRecurring)) {
      for (const isFirst of either(when.isFirst)) {
        for (const hasCoupon of either(when.coupon)) {
          const sale = { ...terms, items, isRecurring, isOneTimeTaken: !isFirst, hasCoupon };
          yield { ...sale, partnerActive: true, programActive: true };
        }
      }
    }
  }
}

const isOutOfScope = (earning: Earning): boolean =>
  !earning.due && (earning.reason === "recurring_not_covered" || earning.reason === "commission_duration_over");

/**
 * Returns a sale of one item that earns by the rule with this index or, if the index is undefined, by no rule.
 * Undefined if there is no such sale.
 */
export function sampleOf(policy: Policy, rule: number | undefined, asked: Asked): Sample | undefined {
  const when = rule === undefined ? {} : policy.rules?.[rule]?.when;
  for (const sale of salesOf(policy, when ?? {}, asked)) {
    if (itemGroups(policy, sale)[0]?.rule !== (rule ?? null)) continue;
    const earning = commissionFor(policy, sale);
    if (!isOutOfScope(earning)) return { sale, earning };
  }
  return undefined;
}

const article = (noun: string): string => (/^[aeiou]/.test(noun) ? "An" : "A");

/** "An annual renewal of €100.00 of pro in the first 12 months". */
export function sampleText(when: RuleConditions, { items: [item] }: EarningSale, amount: string): string {
  const { isFirst, isRecurring, interval, coupon, withinMonths: months } = when;
  const noun = isRecurring === true ? "renewal" : interval === undefined ? "sale" : "subscription";
  const which = [isFirst === undefined ? "" : isFirst ? "first" : "later", interval ?? "", noun]
    .filter(Boolean)
    .join(" ");
  const more = [
    item?.productId == null ? "" : ` of ${item.productId}`,
    isRecurring === false ? " that isn't a renewal" : "",
    coupon === undefined ? "" : ` ${coupon ? "with" : "without"} a coupon`,
    months === undefined ? "" : ` in the first ${months === 1 ? "month" : `${months} months`}`,
  ];
  return `${article(which)} ${which} of ${amount}${more.join("")}`;
}
