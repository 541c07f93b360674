import { dayIn } from "#domain/calendar.ts";
import { type CommissionDecision, type ShownStatus, shownStatus } from "#domain/commission-status.ts";
import type { CommissionId, SaleId } from "#domain/ids.ts";
import { noPartnerPolicies } from "#domain/policy-in-force.ts";
import type { Refusal } from "#domain/refusal.ts";
import { insertEntry, type LiveCommission, setCommissionState } from "#store/commissions.ts";
import { type KnownCustomer, updateCustomer } from "#store/customers.ts";
import { endHolds } from "#store/signals.ts";
import type { Write } from "#store/statement.ts";
import { newApproval } from "../attribution/approval.ts";
import { ledgerEntry, notHeld } from "../attribution/commission-for-sale.ts";
import { isUnconfirmed } from "../attribution/customer.ts";
import { allSalesOf, earlierSales, type FoundSales, type MoreSales } from "../attribution/earlier-sales.ts";
import { type FollowResult, followCustomer } from "../attribution/follow-customer.ts";
import { newestVersion } from "../attribution/policies.ts";
import { customerLock, transactionLock } from "../attribution/resolve-customer.ts";
import { historyColumns, historyOf } from "../attribution/sales-history.ts";
import { payoutLock } from "../locks.ts";
import type { Context, Deciding, Decision, Locks } from "../operation.ts";
import { noted } from "./noted.ts";
import { auditWrite, type ChangeCall } from "./settings-change.ts";

export interface DecisionCall extends ChangeCall {
  readonly decision: CommissionDecision;
  readonly reason: string | null;
  readonly partnerNote: string | null;
}

interface DecidedFound {
  readonly row: LiveCommission | undefined;
  readonly customer: KnownCustomer | undefined;
}

export function locksOfDecision(
  { programId, decision }: DecisionCall,
  commissionId: CommissionId,
  { row, customer }: DecidedFound,
): Locks {
  if (row === undefined) return { exclusive: [`commission ${commissionId}`] };
  const sale = transactionLock({ programId, isTest: false }, row.transactionId);
  const payouts = decision === "rejected" ? [payoutLock(programId)] : [];
  if (row.customerId === null) return { exclusive: [sale], shared: payouts };
  const lock = customerLock(row.customerId);
  const isConfirming = customer !== undefined && confirmsCustomer(decision, customer);
  return isConfirming
    ? { exclusive: [sale, lock], shared: payouts }
    : { exclusive: [sale], shared: [lock, ...payouts] };
}

export function refusalOfDecision(
  decision: CommissionDecision,
  row: LiveCommission,
  movedUpTo: MovedUpTo | undefined,
): Refusal | undefined {
  if (hasYetToFollow(row, movedUpTo)) return { code: "moving" };
  const closed = whyClosed(row.commission, decision);
  return closed === undefined ? undefined : { code: "commission_closed", status: closed, decision };
}

function whyClosed(
  { status: own, heldBy }: LiveCommission["commission"],
  decision: CommissionDecision,
): ShownStatus | "reserved" | undefined {
  const status = shownStatus(own, heldBy);
  if (status === "pending") return undefined;
  if (status !== "approved" || decision !== "rejected") return status;
  return heldBy === null ? undefined : "reserved";
}

export function stateAfter(
  { decision, at }: DecisionCall,
  commission: LiveCommission["commission"],
  context: Context,
): Write {
  const approval =
    decision === "approved"
      ? ({ ...newApproval(context, at), approvedBy: "person", isUnconfirmed: false } as const)
      : {};
  return setCommissionState({ ...commission, status: decision, ...notHeld, ...approval });
}

/** Ends all holds of the commission. */
export const endedHolds = ({ at }: DecisionCall, { id, heldAt }: LiveCommission["commission"]): readonly Write[] =>
  heldAt === null ? [] : [endHolds({ commissionId: id, at })];

export function entriesOf(
  { decision, at }: DecisionCall,
  commission: LiveCommission["commission"],
  { program, context }: Deciding,
): readonly Write[] {
  const { partnerId, amountCents } = commission;
  if (decision === "approved" || amountCents <= 0 || partnerId === null) return [];
  const day = dayIn(program.timezone, at);
  const rejected = { kind: "rejected", amountCents: -amountCents, partnerId, occurredAt: at, day } as const;
  return [insertEntry(ledgerEntry(commission, rejected, context))];
}

/** Writes the decision's reason and note to the partner, and the audit entry that refers to them. */
export function recordOf(
  call: DecisionCall,
  { id, status, amountCents }: LiveCommission["commission"],
  context: Context,
): { readonly notes: readonly Write[]; readonly audit: Write } {
  const { programId, decision, reason, partnerNote } = call;
  const subject = `commission ${id}`;
  const { writes: notes, named } = noted({ programId, subject }, { reason, partnerNote }, context);
  const change = {
    programId,
    action: `commission.${decision}`,
    subject,
    before: { status, amountCents },
    after: { status: decision, amountCents: decision === "approved" ? amountCents : 0, ...named },
  };
  return { notes, audit: auditWrite(call, change, context) };
}

export const confirmsCustomer = (decision: CommissionDecision, customer: KnownCustomer): boolean =>
  decision === "approved" && isUnconfirmed(customer);

/**
 * A member's approval counts like evidence from a call with a key. It confirms the customer's attribution and the sales
 * that this attribution credited. The customer must have no pending reattribution.
 */
export function confirmCustomer(
  customer: KnownCustomer,
  found: FoundSales,
  deciding: Deciding,
): (Pick<FollowResult, "writes" | "holdUntil"> & { readonly movedUpTo: MovedUpTo }) | Decision<never, MoreSales> {
  const earlier = earlierSales(found, allSalesOf(customer.id));
  if ("kind" in earlier) return earlier;
  const policyVersion = newestVersion(customer.programId, deciding.context.settings);
  const confirmed = { ...customer, confirmedAt: deciding.at };
  // Without a credit, sales are only confirmed: each keeps its partner and its amount.
  const unchanged = { credit: undefined, policies: noPartnerPolicies, isReattributing: false, isPending: false };
  const target = { ...deciding, ...unchanged, customer: confirmed, policyVersion };
  const { writes, history, holdUntil } = followCustomer(earlier, target, historyOf(confirmed));
  const last = earlier.hasMore ? earlier.step.at(-1)?.sale : undefined;
  return {
    writes: [updateCustomer({ ...confirmed, ...historyColumns(history) }), ...writes],
    holdUntil,
    movedUpTo: last === undefined ? null : { afterOccurredAt: last.occurredAt, afterSaleId: last.id },
  };
}

type MovedUpTo = { readonly afterOccurredAt: number; readonly afterSaleId: SaleId } | null;

const hasYetToFollow = ({ occurredAt, saleId }: LiveCommission, movedUpTo: MovedUpTo | undefined): boolean =>
  movedUpTo != null &&
  (occurredAt > movedUpTo.afterOccurredAt ||
    (occurredAt === movedUpTo.afterOccurredAt && saleId > movedUpTo.afterSaleId));
