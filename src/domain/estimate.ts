import { addMonthsUtc, dayIn } from "./calendar.ts";
import { commissionFor, currencyOf, type Earning, earningSale, type Policy } from "./commission.ts";
import type { PartnerId } from "./ids.ts";
import { noDetails, type SubscriptionInterval } from "./sale-type.ts";
import { countOfPeriod, periodOfDay, type ReachedStep, stepAt, stepOfSale, type TierCount } from "./tiers.ts";
import type { Unit } from "./units.ts";

/** The number of payments that one estimate covers. */
export const maxPayments = 60;

/** Months from one payment to the next. Payments without an interval are a month apart. */
const monthsOf: Readonly<Record<SubscriptionInterval, number>> = { monthly: 1, quarterly: 3, annual: 12 };

/** Payments of one new customer, the first of them at `from` (ms). */
export interface Payments {
  readonly amountCents: number;
  readonly currency: string;
  /** Null if the payments belong to no subscription. */
  readonly interval: SubscriptionInterval | null;
  readonly productId: string | null;
  readonly count: number;
  readonly from: number;
}

/** Everything that decides the partner's next sales. */
export interface EstimateTerms {
  readonly partnerId: PartnerId;
  readonly partnerActive: boolean;
  readonly programActive: boolean;
  /** Undefined if no policy is in force. */
  readonly policy: Policy | undefined;
  /** The step that decides the partner's sales of the current period. Undefined if none was reached. */
  readonly step: ReachedStep | undefined;
  /** The partner's live sales that count for tiers. */
  readonly counts: readonly TierCount[];
  /** The program's currency. */
  readonly currency: string;
  readonly timezone: string;
}

export interface EstimatedPayment {
  /** The month of the payment, counted from 1. */
  readonly month: number;
  readonly earning: Earning;
}

export interface Estimate {
  readonly payments: readonly EstimatedPayment[];
  /** The currency or unit of the commissions. */
  readonly currency: string;
  /** The unit of the commissions. Null if they are in a currency. */
  readonly unit: Unit | null;
}

/**
 * Computes the commission of each payment, as for a sale without coupons that is attributed to the partner, by a
 * customer who hasn't bought before. As with real sales, an earlier payment affects later ones: as the customer's first
 * sale, and in the counts for tiers.
 */
export function estimate(terms: EstimateTerms, payments: Payments): Estimate {
  const { policy } = terms;
  const { count, from, interval } = payments;
  const tiers = new EstimatedTiers(terms, payments);
  const decided: EstimatedPayment[] = [];
  for (let number = 0; number < count; number += 1) {
    const month = number * (interval === null ? 1 : monthsOf[interval]);
    const occurredAt = addMonthsUtc(from, month);
    const sale = { ...noDetails, ...payments, subscriptionInterval: interval, occurredAt, isRecurring: number > 0 };
    const earning = commissionFor(
      policy,
      earningSale(sale, {
        ...terms,
        firstAttributedSaleAt: number === 0 ? undefined : from,
        isOneTimeTaken: decided.some((earlier) => earlier.earning.due),
      }),
      tiers.stepAt(occurredAt),
    );
    tiers.note(earning, occurredAt);
    decided.push({ month: month + 1, earning });
  }
  return { payments: decided, currency: currencyOf(policy, payments), unit: policy?.unit ?? null };
}

/** The steps that decide the payments: the current one, and further ones that the payments themselves reach. */
class EstimatedTiers {
  readonly #terms: EstimateTerms;
  readonly #payments: Payments;
  readonly #counts: TierCount[];
  /** Newest first. */
  #reached: readonly ReachedStep[];

  constructor(terms: EstimateTerms, payments: Payments) {
    this.#terms = terms;
    this.#payments = payments;
    this.#counts = [...terms.counts];
    this.#reached = terms.step === undefined ? [] : [terms.step];
  }

  stepAt(at: number) {
    const { policy, timezone } = this.#terms;
    return policy && stepOfSale(policy, { isTest: false, day: dayIn(timezone, at) }, this.#reached);
  }

  /** Counts the payment and, like the Ledger, adds a step if the count has reached another one. */
  note(earning: Earning, at: number): void {
    const { currency, timezone } = this.#terms;
    const { policy } = earning;
    if (!earning.due || earning.amountCents === 0 || !policy?.tiers) return;
    const { tiers, id: policyId } = policy;
    const day = dayIn(timezone, at);
    const { amountCents: revenueCents, currency: sold } = this.#payments;
    this.#counts.push({ month: day.slice(0, 7), currency: sold, sales: 1, revenueCents });
    const period = periodOfDay(tiers.period, day);
    const count = countOfPeriod(tiers, this.#counts, { period, currency });
    const threshold = stepAt(tiers, count)?.threshold ?? 0;
    if (threshold === (this.#reached.find((step) => step.period === period)?.threshold ?? 0)) return;
    const counted = tiers.metric === "revenue" ? currency : null;
    this.#reached = [{ policyId, isTest: false, period, currency: counted, threshold, count, at }, ...this.#reached];
  }
}
