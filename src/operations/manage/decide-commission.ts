import { dayIn } from "../../domain/calendar.ts";
import { auditOfOperation } from "../../store/audit.ts";
import { insertEntry, liveCommission, setCommissionState } from "../../store/commissions.ts";
import { customerOfCommission, updateCustomer } from "../../store/customers.ts";
import type { Write } from "../../store/statement.ts";
import { ledgerEntry } from "../attribution/commission-for-sale.ts";
import { isUnconfirmed } from "../attribution/customer.ts";
import { allSalesOf, earlierSales, readEarlierSales } from "../attribution/earlier-sales.ts";
import { type FollowResult, followCustomer, historyColumns, historyOf } from "../attribution/follow-customer.ts";
import { customerLock, transactionLock } from "../attribution/resolve-customer.ts";
import { type Deciding, type Decision, type Gathered, type Missing, type Operation, refuse } from "../operation.ts";
import { auditedChange, type ChangeCall, noChange } from "./settings-change.ts";

export interface DecideCommissionCall extends ChangeCall {
  readonly kind: "decide-commission";
  readonly commissionId: number;
  readonly decision: "approved" | "rejected";
  readonly reason: string | undefined;
}

function gather({ operationId, programId, commissionId }: DecideCommissionCall, { salesOf }: Missing) {
  return {
    done: auditOfOperation({ operationId }),
    row: liveCommission({ programId, id: commissionId }),
    customer: customerOfCommission({ programId, id: commissionId }),
    ...readEarlierSales(salesOf),
  };
}
type Found = Gathered<ReturnType<typeof gather>>;

export const decideCommission: Operation<DecideCommissionCall, ReturnType<typeof gather>, undefined> = {
  needs: ({ programId }) => [{ kind: "program", programId }],

  gather,

  locks(call, { row, customer }) {
    if (row === undefined) return { exclusive: [`commission ${call.commissionId}`] };
    const sale = transactionLock({ programId: call.programId, isTest: false }, row.transactionId);
    if (row.customerId === null) return { exclusive: [sale] };
    const lock = customerLock(row.customerId);
    return confirmsCustomer(call, customer) ? { exclusive: [sale, lock] } : { exclusive: [sale], shared: [lock] };
  },

  decide(call, found, context) {
    const { done, row, customer } = found;
    const { programId, decision } = call;
    const program = context.settings.program(programId);
    if (!program || row === undefined) return refuse({ code: "not_found", what: "commission" });
    const { commission } = row;
    if (done !== undefined || commission.status === decision) return noChange(programId, undefined);
    if (hasYetToFollow(row, customer?.movedUpTo)) return refuse({ code: "moving" });
    const closed = whyClosed(commission, decision);
    if (closed !== undefined) {
      return refuse({ code: "state_conflict", message: `A ${closed} commission can't be ${decision}` });
    }

    const deciding = { program, context, at: call.at };
    const followed = confirmCustomer(call, found, deciding);
    if (followed !== undefined && "kind" in followed) return followed;
    const writes = [...writesForDecision(call, commission, deciding), ...(followed?.writes ?? [])];
    const change = {
      programId,
      action: `commission.${decision}`,
      subject: `commission ${commission.id}`,
      before: { status: commission.status, amountCents: commission.amountCents },
      after: {
        status: decision,
        amountCents: decision === "approved" ? commission.amountCents : 0,
        ...(call.reason === undefined ? {} : { reason: call.reason }),
      },
    };
    const audited = auditedChange(call, change, { writes, answer: undefined }, context);
    return followed === undefined ? audited : { ...audited, holdUntil: followed.holdUntil };
  },
};

function whyClosed(
  { status, lineId }: NonNullable<Found["row"]>["commission"],
  decision: DecideCommissionCall["decision"],
): string | undefined {
  if (status === "pending") return undefined;
  if (status !== "approved" || decision !== "rejected") return status;
  return lineId === null ? undefined : "reserved";
}

function writesForDecision(
  { decision, at }: DecideCommissionCall,
  commission: NonNullable<Found["row"]>["commission"],
  { program, context }: Deciding,
): readonly Write[] {
  const {
    id,
    partnerId,
    amountCents,
    isUnconfirmed: wasUnconfirmed,
    approvedAt,
    approvedBy,
    initialCents,
  } = commission;
  const approval =
    decision === "approved"
      ? ({ approvedAt: at, approvedBy: "person", isUnconfirmed: false } as const)
      : { approvedAt, approvedBy, isUnconfirmed: wasUnconfirmed };
  const state = setCommissionState({ id, status: decision, initialCents, ...approval });
  if (decision === "approved" || amountCents <= 0 || partnerId === null) return [state];
  const day = dayIn(program.timezone, at);
  const rejected = { kind: "rejected", amountCents: -amountCents, partnerId, occurredAt: at, day } as const;
  return [state, insertEntry(ledgerEntry(commission, rejected, context))];
}

const confirmsCustomer = ({ decision }: DecideCommissionCall, customer: Found["customer"]): boolean =>
  decision === "approved" && customer !== undefined && isUnconfirmed(customer);

/** A member's approval counts as keyed evidence: it also confirms the customer's attribution, and the sales it covers. */
function confirmCustomer(
  call: DecideCommissionCall,
  found: Found,
  deciding: Deciding,
): Pick<FollowResult, "writes" | "holdUntil"> | Decision<never> | undefined {
  const { customer } = found;
  if (customer === undefined || !confirmsCustomer(call, customer)) return undefined;
  const earlier = earlierSales(found, allSalesOf(customer.id));
  if ("kind" in earlier) return earlier;
  const confirmed = { ...customer, confirmedAt: call.at };
  const isPending = customer.movedUpTo !== null;
  const target = { ...deciding, customer: confirmed, credit: undefined, isReattributing: false, isPending };
  const { writes, history, holdUntil } = followCustomer(earlier, target, historyOf(confirmed));
  return { writes: [updateCustomer({ ...confirmed, ...historyColumns(history) }), ...writes], holdUntil };
}

const hasYetToFollow = (
  { occurredAt, saleId }: { readonly occurredAt: number; readonly saleId: number },
  movedUpTo: NonNullable<Found["customer"]>["movedUpTo"] | undefined,
): boolean =>
  movedUpTo != null &&
  (occurredAt > movedUpTo.afterOccurredAt ||
    (occurredAt === movedUpTo.afterOccurredAt && saleId > movedUpTo.afterSaleId));
