import { earning, type Policy, policyInForce, type VoidReason } from "../../src/domain/commission.ts";
import { earnedBy, heldUntil, leftOf } from "./amounts.ts";
import { explanationFaults } from "./explanations.ts";
import { type Broken, isBehind, jsonOf, type Read, type Recount } from "./invariant.ts";
import { isOneTimeUsed } from "./refunds.ts";

const rules = {
  initial: "commissions that are not what their policy gives for their sale",
  share: "commissions that are not their share of what is left of the sale",
  hold: "commissions held until another instant than their policy says",
  reason: "void commissions whose reason does not hold",
  policy: "commissions by another policy than the one in force at their sale",
  explanation: "commissions whose explanation was frozen from other rows",
} as const;

/** A commission with the rows it was decided from. */
export interface RecordedCommission {
  readonly id: number;
  readonly commission: {
    readonly program_id: number;
    readonly is_test: number;
    readonly partner_id: number | null;
    readonly status: string;
    readonly reason: string | null;
    readonly initial_cents: number;
    readonly amount_cents: number;
    readonly hold_until: number | null;
    readonly policy_id: number | null;
    readonly approved_at: number | null;
    readonly approved_by: string | null;
    readonly explanation: string;
    readonly created_at: number;
  };
  readonly sale: {
    readonly id: number;
    readonly transaction_id: string;
    readonly amount_cents: number;
    readonly refunded_cents: number;
    readonly currency: string;
    readonly is_recurring: number;
    readonly occurred_at: number;
    readonly partner_code: string | null;
    readonly reason: string | null;
    readonly click_age_days: number | null;
    readonly window_days: number | null;
  };
  /** All null: a sale of no customer. */
  readonly customer: {
    readonly id: number | null;
    readonly partner_id: number | null;
    readonly click_id: string | null;
    readonly evidence: string | null;
    readonly model: string | null;
    readonly window_days: number | null;
    readonly window_until: string | null;
    readonly bound_at: number | null;
    readonly bound_by: string | null;
    readonly first_attributed_sale_at: number | null;
  };
  /** 1: its place went to another sale of the customer, so that it comes to nothing. */
  readonly is_one_time_used: number;
}

const commissionColumns = [
  ...["program_id", "is_test", "partner_id", "status", "reason", "initial_cents", "amount_cents"],
  ...["hold_until", "policy_id", "approved_at", "approved_by", "explanation", "created_at"],
];
const saleColumns = [
  ...["id", "transaction_id", "amount_cents", "refunded_cents", "currency", "is_recurring", "occurred_at"],
  ...["partner_code", "reason", "click_age_days", "window_days"],
];
const customerColumns = [
  ...["id", "partner_id", "click_id", "evidence", "model", "window_days", "window_until", "bound_at", "bound_by"],
  "first_attributed_sale_at",
];

interface KnownPolicy extends Policy {
  readonly programId: number;
  readonly createdAt: number;
}

/** Of programs, and of these of their partners. */
const policiesOf = (programIds: Iterable<number>, partnerIds: Iterable<number>) => `
  select json_object('id', p.id, 'version', p.version, 'partnerId', p.partner_id, 'type', p.type, 'rateBps', p.rate_bps,
    'amountCents', p.amount_cents, 'currency', p.currency, 'scope', p.scope, 'durationMonths', p.duration_months,
    'holdDays', p.hold_days, 'minSaleCents', p.min_sale_cents, 'maxCommissionCents', p.max_commission_cents,
    'effectiveFrom', p.effective_from, 'programId', p.program_id, 'createdAt', p.created_at)
  from commission_policies p where p.program_id in (${[...programIds].join(", ")})
    and (p.partner_id is null or p.partner_id in (${[...partnerIds].join(", ")})) order by p.version`;

/** Each commission decided again from its sale and its policy: whether anything is due by the domain's rules, how much apart from them. */
export const commissionRecount: Recount<RecordedCommission> = {
  finds: Object.values(rules),

  page: (of, last) => `
    select json_object('id', c.id, 'commission', ${jsonOf("c", commissionColumns)}, 'sale', ${jsonOf("s", saleColumns)},
      'customer', ${jsonOf("u", customerColumns)}, 'is_one_time_used', ${isOneTimeUsed})
    from commissions c join sales s on s.id = c.sale_id left join customers u on u.id = s.customer_id
    where ${of("c")} and ${isBehind("c", last)} order by c.id`,

  async *check(page, read) {
    const policies = await policiesByProgram(read, page);
    for (const record of page) yield* faultsOf(record, policies.get(record.commission.program_id) ?? []);
  },
};

async function policiesByProgram(read: Read, records: readonly RecordedCommission[]) {
  const programIds = new Set(records.map(({ commission }) => commission.program_id));
  const partnerIds = new Set(records.flatMap(({ commission }) => commission.partner_id ?? []));
  const policies = (await read(policiesOf(programIds, partnerIds))) as KnownPolicy[];
  return Map.groupBy(policies, ({ programId }) => programId);
}

function* faultsOf(record: RecordedCommission, policies: readonly KnownPolicy[]): Iterable<Broken> {
  const { id, commission, sale, customer } = record;
  const found = policies.find((policy) => policy.id === commission.policy_id);
  const policy = found && plain(found);
  const broken = (rule: keyof typeof rules, row: Readonly<Record<string, unknown>>) => ({
    broken: rules[rule],
    row: { commission: id, sale: sale.id, customer: customer.id, policy: commission.policy_id, ...row },
  });
  if (commission.policy_id !== null && policy === undefined) {
    yield broken("policy", { in_force: null });
    return;
  }

  if (commission.status === "void") {
    if (!isVoidFor(record, policy)) yield broken("reason", { reason: commission.reason });
  } else {
    const initial = initialOf(record, policy);
    if (initial !== commission.initial_cents)
      yield broken("initial", { initial: commission.initial_cents, policy_gives: initial });
    const held = policy && heldUntil(policy, sale.occurred_at);
    if (held !== commission.hold_until)
      yield broken("hold", { hold_until: commission.hold_until, policy_says: held ?? null });
    const left = leftOf(commission.initial_cents, sale.amount_cents, sale.refunded_cents);
    if (commission.status !== "rejected" && left !== commission.amount_cents)
      yield broken("share", { amount: commission.amount_cents, left });
  }

  const explanation = parsed(commission.explanation);
  const decidedAt = Number(explanation.decidedAt ?? commission.created_at);
  const inForce = policiesThen(policies, record, decidedAt);
  if (inForce !== undefined && !inForce.has(commission.policy_id)) {
    yield broken("policy", { in_force: [...inForce].join(" or ") });
  }
  for (const field of explanationFaults(explanation, record, policy)) yield broken("explanation", { field });
}

/** What a commission that is due came to before any refund, or why nothing is. */
function initialOf(record: RecordedCommission, policy: Policy | undefined): number | VoidReason {
  const earned = earning(policy, circumstances(record));
  if (!earned.due) return earned.reason;
  return record.is_one_time_used ? 0 : earnedBy(earned.policy, record.sale.amount_cents).earnedCents;
}

const plain = ({ programId, createdAt, ...policy }: KnownPolicy): Policy => policy;

const circumstances = ({ sale }: RecordedCommission) => ({
  amountCents: sale.amount_cents,
  currency: sale.currency,
  occurredAt: sale.occurred_at,
  firstAttributedSaleAt: undefined,
  isRecurring: sale.is_recurring === 1,
  isOneTimeTaken: false,
  partnerActive: true,
  programActive: true,
});

/** States of partner and program have no history: that one was inactive is taken for true. */
const ofInactive: readonly string[] = ["partner_inactive", "program_inactive"] satisfies VoidReason[];

function isVoidFor(record: RecordedCommission, policy: Policy | undefined): boolean {
  const { commission, sale, customer } = record;
  const { reason } = commission;
  if (commission.hold_until !== null || commission.initial_cents !== 0) return false;
  if (commission.partner_id === null) return reason === sale.reason && commission.policy_id === null;
  if (reason !== null && ofInactive.includes(reason)) return true;
  const isTooLate = reason === "commission_duration_over";
  // A sale that was told later may have become the customer's first: the first one at the time was no earlier.
  const first = customer.partner_id === commission.partner_id ? customer.first_attributed_sale_at : null;
  if (isTooLate && first === null) return policy?.scope === "recurring";
  const decided = earning(policy, {
    ...circumstances(record),
    firstAttributedSaleAt: isTooLate ? (first ?? undefined) : undefined,
    isOneTimeTaken: reason === "recurring_not_covered",
  });
  return !decided.due && decided.reason === reason;
}

/** Policies that are set while a sale waits may be known to it or not. */
const waitMs = 60_000;

/** The ids of the policies that may have been in force at the sale for whoever decided it. Undefined: not decided by one. */
function policiesThen(
  policies: readonly KnownPolicy[],
  { commission: { partner_id: partnerId, reason }, sale }: RecordedCommission,
  decidedAt: number,
): ReadonlySet<number | null> | undefined {
  if (partnerId === null || (reason !== null && ofInactive.includes(reason))) return undefined;
  const isSurelyKnown = ({ createdAt }: KnownPolicy) => createdAt < decidedAt - waitMs;
  const isSurelyUnknown = ({ createdAt }: KnownPolicy) => createdAt > decidedAt + waitMs;
  const known = policies.findLastIndex(isSurelyKnown) + 1;
  const firstUnknown = policies.findIndex(isSurelyUnknown);
  const maybe = firstUnknown < known ? policies.length : firstUnknown;
  const ids = new Set<number | null>();
  for (let count = known; count <= maybe; count += 1) {
    ids.add(policyInForce(policies.slice(0, count), partnerId, sale.occurred_at)?.id ?? null);
  }
  return ids;
}

/** `{}` where it is no JSON object: another check finds that. */
function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}
