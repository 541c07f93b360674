import {
  commissionFor,
  commissionLeft,
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

export const maxSimulatedSales = 100_000;

/** An attributed sale, with all facts of its decision. */
export interface RecordedSale extends SoldSale {
  readonly customerId: CustomerId | null;
  readonly partnerId: PartnerId;
  /** "YYYY-MM" */
  readonly month: string;
  readonly refundedCents: number;
  /** When the sale was fully refunded (ms). Null if it wasn't. */
  readonly refundedAt: number | null;
  /** The partner's group at the sale. */
  readonly groupId: GroupId | null;
  readonly past: FrozenPast | null;
  readonly decidedAt: number;
  /** The version that decided it. Null: none was in force. */
  readonly policy: InForce | null;
  readonly commission: RecordedCommission;
}

interface RecordedCommission {
  readonly id: CommissionId;
  readonly status: CommissionStatus;
  readonly reason: VoidReason | null;
  /** As decided. Null: it was void. */
  readonly earnedCents: number | null;
  /** 0 also once another sale has taken its `one_time` place. */
  readonly initialCents: number;
  readonly amountCents: number;
  readonly approvedAt: number | null;
}

export interface SimulatedTotal {
  readonly currency: string;
  readonly sales: number;
  readonly wasCents: bigint;
  readonly wouldBeCents: bigint;
}

export interface SimulatedRow extends SimulatedTotal {
  readonly month: string;
  readonly partnerId: PartnerId;
}

type Sum<Of> = { -readonly [Field in keyof Of]: Of[Field] };

/**
 * Decides sales again, as if a policy had always been in force instead of its owner's. Sales that no policy of this
 * owner decides, then or now, keep their decision. Expects the sales in recorded order.
 */
export class Simulation {
  readonly #policy: Policy;
  /** Policies that may decide a sale if the simulated policy is `none`. */
  readonly #others: readonly Policy[];
  readonly #places = new Places();
  readonly #rows = new Map<string, Sum<SimulatedRow>>();
  #sales = 0;

  constructor(policy: Policy, others: readonly Policy[]) {
    this.#policy = { ...policy, effectiveFrom: Number.MIN_SAFE_INTEGER };
    this.#others = others;
  }

  get sales(): number {
    return this.#sales;
  }

  add(sale: RecordedSale): void {
    const { month, partnerId, currency, commission } = sale;
    const key = `${month} ${partnerId} ${currency}`;
    const row = this.#rows.get(key) ?? { month, partnerId, currency, sales: 0, wasCents: 0n, wouldBeCents: 0n };
    const wouldBeCents = this.#wouldBe(sale);
    const isRejected = commission.status === "rejected";
    row.sales += 1;
    row.wasCents += BigInt(isRejected ? 0 : commission.amountCents);
    row.wouldBeCents += BigInt(isRejected ? 0 : wouldBeCents);
    this.#rows.set(key, row);
    this.#sales += 1;
  }

  /** The rows by month, partner and currency. */
  get rows(): readonly SimulatedRow[] {
    return [...this.#rows.values()].sort(
      (a, b) => compared(a.month, b.month) || a.partnerId - b.partnerId || compared(a.currency, b.currency),
    );
  }

  get totals(): readonly SimulatedTotal[] {
    const totals = new Map<string, Sum<SimulatedTotal>>();
    for (const { currency, sales, wasCents, wouldBeCents } of this.#rows.values()) {
      const total = totals.get(currency) ?? { currency, sales: 0, wasCents: 0n, wouldBeCents: 0n };
      total.sales += sales;
      total.wasCents += wasCents;
      total.wouldBeCents += wouldBeCents;
      totals.set(currency, total);
    }
    return [...totals.values()].sort((a, b) => compared(a.currency, b.currency));
  }

  #wouldBe(sale: RecordedSale): number {
    const { commission, amountCents, refundedCents } = sale;
    const isOneTimeTaken = this.#places.isTaken(sale);
    const policy = this.#policyFor(sale);
    const earning = policy === "kept" ? undefined : this.#decide(sale, policy, isOneTimeTaken);
    const isDue = earning?.due ?? commission.status !== "void";
    this.#places.note(sale, { isOneTimeTaken, isDue, holdUntil: earning?.due ? earning.holdUntil : undefined });
    if (earning === undefined) return commission.amountCents;
    if (!earning.due || hasLostPlace(sale, earning)) return 0;
    return commissionLeft(earning.amountCents, amountCents, refundedCents);
  }

  #policyFor(sale: RecordedSale): Policy | undefined | "kept" {
    const { reason } = sale.commission;
    if (reason === "partner_inactive" || reason === "program_inactive") return "kept";
    const { policy: then, groupId, partnerId, occurredAt } = sale;
    const isOfOwner = then !== null && this.#isOfOwner(then);
    const versions: readonly InForce[] = [this.#policy, ...(isOfOwner ? this.#others : then === null ? [] : [then])];
    const memberships = [{ groupId: then?.groupId ?? groupId, effectiveFrom: Number.MIN_SAFE_INTEGER }];
    const now = policyInForce({ versions, memberships }, partnerId, occurredAt);
    if (now === this.#policy) return this.#policy;
    if (isOfOwner) return this.#others.find((policy) => policy === now);
    return now === undefined && this.#isOfProgram ? undefined : "kept";
  }

  #isOfOwner = ({ partnerId, groupId }: InForce): boolean =>
    partnerId === this.#policy.partnerId && groupId === this.#policy.groupId;

  get #isOfProgram(): boolean {
    return this.#policy.partnerId === null && this.#policy.groupId === null;
  }

  #decide = (sale: RecordedSale, policy: Policy | undefined, isOneTimeTaken: boolean): Earning =>
    commissionFor(
      policy,
      earningSale(sale, {
        firstAttributedSaleAt: sale.past?.firstAttributedSaleAt ?? undefined,
        partnerId: sale.partnerId,
        isOneTimeTaken,
        partnerActive: true,
        programActive: true,
      }),
    );
}

const compared = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** For a refunded sale whose refund was canceled after another sale had been paid instead. */
const hasLostPlace = ({ commission }: RecordedSale, { policy }: Earning): boolean =>
  policy?.scope === "one_time" && commission.initialCents === 0 && (commission.earnedCents ?? 0) > 0;

interface Decided {
  readonly isOneTimeTaken: boolean;
  readonly isDue: boolean;
  readonly holdUntil: number | undefined;
}

/**
 * The customers' `one_time` places: unchanged, except for the effects of the simulated sales. A sale that no longer
 * earns leaves its place to the next, and one that now earns takes it.
 */
class Places {
  readonly #left = new Set<CommissionId>();
  /** For each customer and partner, the time until which the place is taken (ms). */
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

/** A sale that is fully refunded while pending gives its place back. */
function freedAt({ refundedAt, commission }: RecordedSale, holdUntil = Number.POSITIVE_INFINITY): number {
  const isPending = refundedAt !== null && commission.approvedAt === null && refundedAt < holdUntil;
  return isPending ? refundedAt : Number.POSITIVE_INFINITY;
}
