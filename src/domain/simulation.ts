import {
  commissionFor,
  commissionLeft,
  currencyOf,
  type Earning,
  earningSale,
  type Policy,
  type SoldSale,
  type VoidReason,
} from "./commission.ts";
import type { CommissionStatus } from "./commission-status.ts";
import type { FrozenPast } from "./explain/frozen.ts";
import type { CommissionId, CustomerId, GroupId, PartnerId } from "./ids.ts";
import { type InForce, policyInForce } from "./policy-in-force.ts";
import { RuleProducts } from "./rule-products.ts";
import { type AppliedStep, periodOfDay, stepAt, type Tiers, tierPeriods } from "./tiers.ts";

export const maxSimulatedSales = 100_000;

/** An attributed sale, with all facts of its decision. */
export interface RecordedSale extends SoldSale {
  readonly customerId: CustomerId | null;
  readonly partnerId: PartnerId;
  /** "YYYY-MM-DD". */
  readonly day: string;
  readonly refundedCents: number;
  /** When the sale was fully refunded (ms). Null if it wasn't. */
  readonly refundedAt: number | null;
  /** The group of the partner at the instant of the sale. */
  readonly groupId: GroupId | null;
  readonly past: FrozenPast | null;
  readonly decidedAt: number;
  /** The policy version that decided the sale. Null if none was in force. */
  readonly policy: (InForce & Pick<Policy, "tiers">) | null;
  /**
   * The threshold of the step that the partner had reached when the sale was decided. Null or 0 if they had reached
   * none.
   */
  readonly threshold: number | null;
  readonly commission: RecordedCommission;
}

interface RecordedCommission {
  readonly id: CommissionId;
  readonly status: CommissionStatus;
  readonly reason: VoidReason | null;
  /** The commission as first decided. Null if it was void. */
  readonly earnedCents: number | null;
  /**
   * Also 0 if another sale has used the customer's `one_time` commission: the only one that a policy with scope
   * `one_time` pays for a customer.
   */
  readonly initialCents: number;
  readonly amountCents: number;
  readonly currency: string;
  readonly approvedAt: number | null;
}

export interface SimulatedTotal {
  readonly currency: string;
  readonly sales: number;
  readonly wasCents: bigint;
  /** The commissions under the policies that are in force today. */
  readonly todayCents: bigint;
  readonly wouldBeCents: bigint;
}

export interface SimulatedRow extends SimulatedTotal {
  readonly month: string;
  readonly partnerId: PartnerId;
}

type Sum<Of> = { -readonly [Field in keyof Of]: Of[Field] };

/** Facts that a simulation needs besides the policies. */
interface Besides {
  /** The program's currency. */
  readonly currency?: string;
  /** Sales before this day count only toward tiers. */
  readonly from?: string;
  /**
   * The current version of the owner's policy, and of each policy that decides after the owner's ends. They are used to
   * compute today's commission.
   */
  readonly present?: readonly Policy[];
}

const always = (policy: Policy): Policy => ({ ...policy, effectiveFrom: Number.MIN_SAFE_INTEGER });

/**
 * Decides sales again, as if one policy had always been in force for its owner (the program, a group or a partner). For
 * comparison, decides them also as if today's policies had always been in force. A sale that the owner's policy neither
 * decided nor would decide keeps its commission. Add the sales in the order in which they were recorded.
 */
export class Simulation {
  readonly #policy: Policy;
  /** Policies that may decide a sale if the simulated policy is `none`. */
  readonly #others: readonly Policy[];
  readonly #present: readonly Policy[];
  readonly #simulated: Decisions;
  readonly #today: Decisions;
  readonly #from: string;
  readonly products: RuleProducts;
  readonly #rows = new Map<string, Sum<SimulatedRow>>();
  #sales = 0;
  #recalculated = 0;

  constructor(policy: Policy, others: readonly Policy[], { currency = "", from = "", present = [] }: Besides = {}) {
    this.#policy = always(policy);
    this.#others = others;
    this.#present = present.map(always);
    this.#simulated = new Decisions(currency);
    this.#today = new Decisions(currency);
    this.#from = from;
    this.products = new RuleProducts(policy.rules);
  }

  get sales(): number {
    return this.#sales;
  }

  /** Number of sales that the owner's policy decides. The other sales keep their commissions. */
  get recalculated(): number {
    return this.#recalculated;
  }

  add(sale: RecordedSale): void {
    const { day, commission } = sale;
    const policy = this.#policyFor(sale);
    const wouldBe = this.#simulated.decide(sale, policy);
    const today = this.#today.decide(sale, policy === "kept" ? "kept" : this.#presentFor(sale));
    if (day < this.#from) return;
    this.products.note(sale);
    const isRejected = commission.status === "rejected";
    const was = this.#row(sale, commission.currency);
    const would = this.#row(sale, wouldBe.currency);
    const now = this.#row(sale, today.currency);
    for (const row of new Set([was, would, now])) row.sales += 1;
    was.wasCents += BigInt(isRejected ? 0 : commission.amountCents);
    would.wouldBeCents += BigInt(isRejected ? 0 : wouldBe.cents);
    now.todayCents += BigInt(isRejected ? 0 : today.cents);
    this.#sales += 1;
    if (policy !== "kept") this.#recalculated += 1;
  }

  /**
   * The row for this currency. If a sale's recorded, simulated and today's commissions differ in currency or unit, the
   * sale counts in a row of each.
   */
  #row({ day, partnerId }: RecordedSale, currency: string): Sum<SimulatedRow> {
    const month = day.slice(0, 7);
    const key = `${month} ${partnerId} ${currency}`;
    const row = this.#rows.get(key) ?? { month, partnerId, currency, ...nothing };
    this.#rows.set(key, row);
    return row;
  }

  /** The rows, sorted by month, partner and currency. */
  get rows(): readonly SimulatedRow[] {
    return [...this.#rows.values()].sort(
      (a, b) => compared(a.month, b.month) || a.partnerId - b.partnerId || compared(a.currency, b.currency),
    );
  }

  get totals(): readonly SimulatedTotal[] {
    const totals = new Map<string, Sum<SimulatedTotal>>();
    for (const { currency, sales, wasCents, todayCents, wouldBeCents } of this.#rows.values()) {
      const total = totals.get(currency) ?? { currency, ...nothing };
      total.sales += sales;
      total.wasCents += wasCents;
      total.todayCents += todayCents;
      total.wouldBeCents += wouldBeCents;
      totals.set(currency, total);
    }
    return [...totals.values()].sort((a, b) => compared(a.currency, b.currency));
  }

  #policyFor(sale: RecordedSale): Policy | undefined | "kept" {
    const { reason } = sale.commission;
    if (reason === "partner_inactive" || reason === "program_inactive") return "kept";
    const { policy: then, partnerId, occurredAt } = sale;
    const isOfOwner = then !== null && this.#isOfOwner(then);
    const versions: readonly InForce[] = [this.#policy, ...(isOfOwner ? this.#others : then === null ? [] : [then])];
    const now = policyInForce({ versions, memberships: membershipsOf(sale) }, partnerId, occurredAt);
    if (now === this.#policy) return this.#policy;
    if (isOfOwner) return this.#others.find((policy) => policy === now);
    return now === undefined && this.#isOfProgram ? undefined : "kept";
  }

  #presentFor = (sale: RecordedSale): Policy | undefined =>
    policyInForce({ versions: this.#present, memberships: membershipsOf(sale) }, sale.partnerId, sale.occurredAt);

  #isOfOwner = ({ partnerId, groupId }: InForce): boolean =>
    partnerId === this.#policy.partnerId && groupId === this.#policy.groupId;

  get #isOfProgram(): boolean {
    return this.#policy.partnerId === null && this.#policy.groupId === null;
  }
}

const nothing = { sales: 0, wasCents: 0n, todayCents: 0n, wouldBeCents: 0n };

/** The partner's group at the time of the sale. */
const membershipsOf = ({ policy, groupId }: RecordedSale) => [
  { groupId: policy?.groupId ?? groupId, effectiveFrom: Number.MIN_SAFE_INTEGER },
];

/** Decides all sales again, in the order in which they were recorded. A sale's decision depends on the earlier ones. */
class Decisions {
  readonly #places = new Places();
  readonly #counts: SimulatedCounts;

  constructor(currency: string) {
    this.#counts = new SimulatedCounts(currency);
  }

  /** Returns what remains of the sale's commission under the policy. */
  decide(
    sale: RecordedSale,
    policy: Policy | undefined | "kept",
  ): { readonly cents: number; readonly currency: string } {
    const { commission, amountCents, refundedCents } = sale;
    const isOneTimeTaken = this.#places.isTaken(sale);
    const earning = policy === "kept" ? undefined : this.#earning(sale, policy, isOneTimeTaken);
    const isDue = earning?.due ?? commission.status !== "void";
    this.#places.note(sale, { isOneTimeTaken, isDue, holdUntil: earning?.due ? earning.holdUntil : undefined });
    const initialCents = this.#initialOf(sale, earning);
    this.#counts.note(sale, initialCents);
    if (earning === undefined) return { cents: commission.amountCents, currency: commission.currency };
    const cents = commissionLeft(initialCents, amountCents, refundedCents);
    return { cents, currency: currencyOf(earning.policy, sale) };
  }

  #initialOf(sale: RecordedSale, earning: Earning | undefined): number {
    if (earning === undefined) return sale.commission.initialCents;
    return !earning.due || hasLostPlace(sale, earning) ? 0 : earning.amountCents;
  }

  #earning = (sale: RecordedSale, policy: Policy | undefined, isOneTimeTaken: boolean): Earning =>
    commissionFor(
      policy,
      earningSale(sale, {
        firstAttributedSaleAt: sale.past?.firstAttributedSaleAt ?? undefined,
        partnerId: sale.partnerId,
        isOneTimeTaken,
        partnerActive: true,
        programActive: true,
      }),
      policy?.tiers ? this.#stepOf(sale, policy.tiers) : undefined,
    );

  /**
   * If the simulated tiers have the same metric, period and thresholds as the tiers that decided the sale, returns the
   * step that the partner had reached then. Otherwise returns the step of the simulated count.
   */
  #stepOf(sale: RecordedSale, tiers: Tiers): AppliedStep | undefined {
    const isAsThen = sale.policy?.tiers != null && countsAlike(sale.policy.tiers, tiers);
    const count = isAsThen ? 0 : this.#counts.before(sale, tiers);
    const step = isAsThen ? tiers.steps.find(({ threshold }) => threshold === sale.threshold) : stepAt(tiers, count);
    const { metric, period } = tiers;
    return step && { metric, period: periodOfDay(period, sale.day), ...step, count, at: sale.decidedAt };
  }
}

const countsAlike = (a: Tiers, b: Tiers): boolean =>
  a.metric === b.metric &&
  a.period === b.period &&
  a.steps.map(({ threshold }) => threshold).join() === b.steps.map(({ threshold }) => threshold).join();

interface CountedSale {
  readonly cents: number;
  /** When the sale stopped counting because it was fully refunded (ms). */
  readonly until: number;
}

/** Counts the sales with which each partner earns in the simulation, in the order in which they were recorded. */
class SimulatedCounts {
  readonly #currency: string;
  readonly #counted = new Map<string, { sales: number; cents: number; ending: CountedSale[] }>();

  constructor(currency: string) {
    this.#currency = currency;
  }

  /** The partner's count for the period of the sale, at the time when the sale was decided. */
  before({ partnerId, day, decidedAt }: RecordedSale, { metric, period }: Tiers): number {
    const counted = this.#counted.get(`${partnerId} ${periodOfDay(period, day)}`);
    if (counted === undefined) return 0;
    const ended = counted.ending.filter(({ until }) => until <= decidedAt);
    counted.ending = counted.ending.filter(({ until }) => until > decidedAt);
    counted.sales -= ended.length;
    counted.cents -= ended.reduce((sum, { cents }) => sum + cents, 0);
    return metric === "sales" ? counted.sales : counted.cents;
  }

  note({ partnerId, day, amountCents, currency, refundedAt, commission }: RecordedSale, initialCents: number): void {
    if (initialCents === 0 || commission.status === "rejected") return;
    const cents = currency === this.#currency ? amountCents : 0;
    const ending = refundedAt === null ? [] : [{ cents, until: refundedAt }];
    for (const period of tierPeriods) {
      const key = `${partnerId} ${periodOfDay(period, day)}`;
      const counted = this.#counted.get(key) ?? { sales: 0, cents: 0, ending: [] as CountedSale[] };
      counted.sales += 1;
      counted.cents += cents;
      counted.ending.push(...ending);
      this.#counted.set(key, counted);
    }
  }
}

const compared = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** True for a sale whose refund was canceled after another sale had used the `one_time` commission. */
const hasLostPlace = ({ commission }: RecordedSale, { policy }: Earning): boolean =>
  policy?.scope === "one_time" && commission.initialCents === 0 && (commission.earnedCents ?? 0) > 0;

interface Decided {
  readonly isOneTimeTaken: boolean;
  readonly isDue: boolean;
  readonly holdUntil: number | undefined;
}

/**
 * Tracks which sales use the customers' `one_time` commissions in the simulation. If a sale that used one no longer
 * earns, the next sale can use it. A sale that earns only in the simulation uses one as well.
 */
class Places {
  readonly #left = new Set<CommissionId>();
  /** For each customer and partner: until when a sale of the simulation uses the `one_time` commission (ms). */
  readonly #taken = new Map<string, number>();

  isTaken(sale: RecordedSale): boolean {
    const { past, decidedAt } = sale;
    const holder = past?.oneTimeCommissionId ?? null;
    const wasTaken = past?.isOneTimeTaken ?? false;
    if (wasTaken && (holder === null || !this.#left.has(holder))) return true;
    return decidedAt < (this.#taken.get(placeOf(sale)) ?? Number.NEGATIVE_INFINITY);
  }

  note(sale: RecordedSale, { isOneTimeTaken, isDue, holdUntil }: Decided): void {
    const { commission, past } = sale;
    const tookIt = commission.status !== "void" && !(past?.isOneTimeTaken ?? false);
    const takesIt = isDue && !isOneTimeTaken;
    if (tookIt && !takesIt) this.#left.add(commission.id);
    if (takesIt && !tookIt) this.#taken.set(placeOf(sale), freedAt(sale, holdUntil));
  }
}

const placeOf = ({ customerId, partnerId }: RecordedSale): string => `${customerId} ${partnerId}`;

/** When a sale frees the `one_time` commission (ms): at its full refund, if the sale's commission is pending then. */
function freedAt({ refundedAt, commission }: RecordedSale, holdUntil = Number.POSITIVE_INFINITY): number {
  const isPending = refundedAt !== null && commission.approvedAt === null && refundedAt < holdUntil;
  return isPending ? refundedAt : Number.POSITIVE_INFINITY;
}
