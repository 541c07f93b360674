import { isDeepStrictEqual } from "node:util";
import { commissionFor, type EarningSale, type Policy, type VoidReason } from "#domain/commission.ts";
import { policyInForce } from "#domain/policy-in-force.ts";
import { amountTerms, heldUntil, leftOf } from "./amounts.ts";
import { isObject, type Json, type Links, linksOfCandidates, parsed } from "./candidates.ts";
import { explanationFaults, lacksCandidates } from "./explanations.ts";
import type { Broken, Read, Recount } from "./invariant.ts";
import {
  commissionPage,
  decidedAtOf,
  decidedTwice,
  type KnownMembership,
  type KnownPolicy,
  PoliciesOfPage,
  type RecordedCommission,
  surelyKnown,
  waitMs,
} from "./recorded-commission.ts";
import { type Outcome, outcomesOf } from "./rules.ts";

const rules = {
  initial: "commissions whose initial amount doesn't match their policy",
  share: "commissions that aren't proportional to the unrefunded part of their sale",
  hold: "commissions whose hold ends at another time than their policy says",
  reason: "void commissions with a wrong reason",
  policy: "commissions by another policy than the one in force at their sale",
  explanation: "commissions whose explanation doesn't match the stored rows",
} as const;

/**
 * Decides each commission again. Which policy was in force and why a sale earns nothing is decided by the domain's
 * functions. The audit's own code computes which rule applied, the amount, and the hold.
 */
export function commissionRecount(): Recount<RecordedCommission> {
  const policies = new PoliciesOfPage();
  return {
    finds: Object.values(rules),

    page: commissionPage,

    async *check(page, read) {
      await policies.read(read, page);
      const explained = page.map((record) => ({ record, explanation: parsed(record.commission.explanation) }));
      const links = await linksOfCandidates(
        read,
        explained.map(({ explanation }) => explanation),
      );
      for (const { record, explanation } of explained) {
        const known = { policies: policies.of(record), memberships: policies.membershipsOf(record) };
        yield* faultsOf(record, explanation, known, links);
      }
      yield* withoutCandidates(explained, read);
    },
  };
}

interface Known {
  /** The policies in order of version. */
  readonly policies: readonly KnownPolicy[];
  /** The memberships in order of time. */
  readonly memberships: readonly KnownMembership[];
}

interface Explained {
  readonly record: RecordedCommission;
  readonly explanation: Json;
}

const brokenOf = ({ id, commission, sale, customer }: RecordedCommission, [rule, row]: Fault): Broken => ({
  broken: rules[rule],
  row: { commission: id, sale: sale.id, customer: customer.id, policy: commission.policy_id, ...row },
});

/** True if a member or an import attributed the customer in the millisecond in which the sale was recorded. */
const isBoundThen = ({ commission, customer }: RecordedCommission): boolean =>
  (commission.source === "import" || commission.source === "person") &&
  commission.source === customer.source &&
  commission.created_at === customer.bound_at;

async function* withoutCandidates(explained: readonly Explained[], read: Read): AsyncIterable<Broken> {
  const lacking = explained.filter(({ record, explanation }) => lacksCandidates(explanation, record));
  const records = lacking.map(({ record }) => record);
  const decided = await decidedTwice(read, records);
  for (const record of records) {
    const { commission, customer } = record;
    const mayHaveFollowed =
      isBoundThen(record) || (commission.partner_id !== null && decided.has(`${customer.id} ${commission.created_at}`));
    if (!mayHaveFollowed) yield brokenOf(record, ["explanation", { field: "candidates" }]);
  }
}

function* faultsOf(record: RecordedCommission, explanation: Json, known: Known, links: Links): Iterable<Broken> {
  const { commission } = record;
  const { policies } = known;
  const found = policies.find((policy) => policy.id === commission.policy_id);
  const policy = found && plain(found);
  const broken = (...fault: Fault) => brokenOf(record, fault);
  if (commission.policy_id !== null && policy === undefined) {
    yield broken("policy", { in_force: null });
    return;
  }

  const outcome = policy && decidedOutcome(record, policy, explanation);
  for (const [rule, row] of outcomeFaults(record, policy, outcome)) yield broken(rule, row);

  const inForce = policiesThen(known, record, decidedAtOf(explanation, commission.created_at));
  if (inForce !== undefined && !inForce.has(commission.policy_id)) {
    yield broken("policy", { in_force: [...inForce].join(" or ") });
  }
  for (const field of explanationFaults(explanation, record, { policy, outcome }, links))
    yield broken("explanation", { field });
}

/** The outcome in the explanation, if the rules allow that outcome. */
function decidedOutcome(record: RecordedCommission, policy: Policy, { groups, tier }: Json): Outcome | undefined {
  const [first, ...others] = outcomesOf(record, withStep(policy, tier));
  const explained = (outcome: Outcome) => isDeepStrictEqual(outcome.groups, groups);
  return policy.rules === null || (first && explained(first)) ? first : (others.find(explained) ?? first);
}

/** The policy with the rate or amount of the explained step. Another rule checks the step itself. */
function withStep(policy: Policy, tier: unknown): Policy {
  const threshold = isObject(tier) ? tier.threshold : undefined;
  const step = policy.tiers?.steps.find((each) => each.threshold === threshold);
  if (step === undefined) return policy;
  return policy.type === "flat"
    ? { ...policy, amountCents: step.amountCents ?? 0 }
    : { ...policy, rateBps: step.rateBps ?? 0 };
}

/** The reason why the sale earns nothing, whatever its products are. */
const whyUncovered = (policy: Policy | undefined, sale: EarningSale): VoidReason | undefined => {
  const earned = commissionFor(policy && { ...policy, ...withoutAmounts }, sale);
  return earned.due ? undefined : earned.reason;
};

const withoutAmounts: Partial<Policy> = {
  type: "percent",
  rateBps: 0,
  amountCents: null,
  rules: null,
  ...Object.fromEntries(amountTerms.map((term) => [term, null])),
};

function initialOf(
  record: RecordedCommission,
  policy: Policy | undefined,
  outcome: Outcome | undefined,
): number | VoidReason | undefined {
  const initial = whyUncovered(policy, circumstances(record)) ?? outcome?.comesTo;
  return record.is_one_time_used && typeof initial === "number" ? 0 : initial;
}

const plain = ({ programId, createdAt, ...policy }: KnownPolicy): Policy => policy;

const circumstances = ({ sale }: RecordedCommission): EarningSale => ({
  amountCents: sale.amount_cents,
  currency: sale.currency,
  occurredAt: sale.occurred_at,
  firstAttributedSaleAt: undefined,
  // One item that no rule covers.
  items: [{ itemId: "1", productId: null, amountCents: sale.amount_cents, quantity: 1 }],
  interval: null,
  isRecurring: sale.is_recurring === 1,
  isOneTimeTaken: false,
  hasCoupon: false,
  partnerActive: true,
  programActive: true,
});

type Fault = readonly [rule: keyof typeof rules, row: Readonly<Record<string, unknown>>];

function* outcomeFaults(
  record: RecordedCommission,
  policy: Policy | undefined,
  outcome: Outcome | undefined,
): Iterable<Fault> {
  const { commission, sale } = record;
  if (commission.status === "void") {
    if (!isVoidFor(record, policy)) yield ["reason", { reason: commission.reason }];
    return;
  }
  const initial = initialOf(record, policy, outcome);
  if (initial !== commission.initial_cents)
    yield ["initial", { initial: commission.initial_cents, policy_gives: initial }];
  const held = policy && heldUntil(policy, sale.occurred_at);
  if (held !== commission.hold_until) yield ["hold", { hold_until: commission.hold_until, policy_says: held ?? null }];
  const left = leftOf(commission.initial_cents, sale.amount_cents, sale.refunded_cents);
  if (commission.status !== "rejected" && left !== commission.amount_cents)
    yield ["share", { amount: commission.amount_cents, left }];
}

/** Reasons that the audit can't check, because the states of partners and programs have no history. */
const ofInactive: readonly string[] = ["partner_inactive", "program_inactive"] satisfies VoidReason[];

function isVoidFor(record: RecordedCommission, policy: Policy | undefined): boolean {
  const { commission, sale, customer } = record;
  const { reason } = commission;
  if (commission.hold_until !== null || commission.initial_cents !== 0) return false;
  if (commission.partner_id === null) return reason === sale.reason && commission.policy_id === null;
  if (reason !== null && ofInactive.includes(reason)) return true;
  const isTooLate = reason === "commission_duration_over";
  // A sale that was reported after the decision may have become the customer's first. So the sale that was the first at
  // the time of the decision may be later than this one, but not earlier.
  const first = customer.partner_id === commission.partner_id ? record.first_sold_at : null;
  if (isTooLate && first === null) return policy?.scope === "recurring";
  const uncovered = whyUncovered(policy, {
    ...circumstances(record),
    firstAttributedSaleAt: isTooLate ? (first ?? undefined) : undefined,
    isOneTimeTaken: reason === "recurring_not_covered",
  });
  if (uncovered !== undefined || policy === undefined) return uncovered === reason;
  return outcomesOf(record, policy).some(({ comesTo }) => comesTo === reason);
}

/**
 * The ids of the policies that may have been in force, as known when the sale was decided. For a sale that moved with
 * its customer, as known at the time of the move. Undefined if no policy decided the sale.
 */
function policiesThen(
  { policies, memberships }: Known,
  record: RecordedCommission,
  decidedAt: number,
): ReadonlySet<number | null> | undefined {
  const {
    commission: { partner_id: partnerId, reason },
    sale,
  } = record;
  if (partnerId === null || (reason !== null && ofInactive.includes(reason))) return undefined;
  const knownBefore = surelyKnown(record);
  const isSurelyUnknown = ({ createdAt }: KnownPolicy) => createdAt > decidedAt + waitMs;
  const known = policies.findLastIndex(({ createdAt }) => createdAt < knownBefore) + 1;
  const firstUnknown = policies.findIndex(isSurelyUnknown);
  const maybe = firstUnknown < known ? policies.length : firstUnknown;
  const groupIds = groupsThen(memberships, sale.occurred_at, knownBefore);
  const ids = new Set<number | null>();
  for (let count = known; count <= maybe; count += 1) {
    for (const groupId of groupIds) {
      const then = { versions: policies.slice(0, count), memberships: [{ groupId, effectiveFrom: 0 }] };
      ids.add(policyInForce(then, partnerId, sale.occurred_at)?.id ?? null);
    }
  }
  return ids;
}

/**
 * Returns the partner's group at the time of the sale. Adds the previous group if the change of groups may have waited
 * while the sale was decided.
 */
function groupsThen(
  memberships: readonly KnownMembership[],
  occurredAt: number,
  knownBefore: number,
): ReadonlySet<number | null> {
  const begun = memberships.filter(({ effectiveFrom }) => effectiveFrom <= occurredAt);
  const known = begun.findLastIndex(({ effectiveFrom }) => effectiveFrom < knownBefore);
  return new Set([begun[known]?.groupId ?? null, ...begun.slice(known + 1).map(({ groupId }) => groupId)]);
}
