import { dayIn } from "../../domain/calendar.ts";
import { auditOfOperation } from "../../store/audit.ts";
import { insertEntry, liveCommission, setCommissionState } from "../../store/commissions.ts";
import { customerOfCommission, updateCustomer } from "../../store/customers.ts";
import type { Write } from "../../store/statement.ts";
import { entryOf } from "../attribution/commission-for-sale.ts";
import { isUnconfirmed } from "../attribution/customer.ts";
import { allSalesOf, earlierSales, readEarlierSales } from "../attribution/earlier-sales.ts";
import { followCustomer, standingColumns, standingOf } from "../attribution/follow-customer.ts";
import { customerLock, transactionLock } from "../attribution/resolve-customer.ts";
import { type Gathered, type Operation, refuse, type SalesAfter } from "../operation.ts";
import { auditedChange, type ChangeCall, noChange } from "./settings-change.ts";

export interface DecideCommissionCall extends ChangeCall {
  readonly kind: "decide-commission";
  readonly commissionId: number;
  readonly decision: "approved" | "rejected";
  /** Of a rejection. */
  readonly reason: string | undefined;
}

function gather(
  { operationId, programId, commissionId }: DecideCommissionCall,
  { salesOf }: { readonly salesOf?: SalesAfter },
) {
  return {
    done: auditOfOperation({ operationId }),
    found: liveCommission({ programId, id: commissionId }),
    customer: customerOfCommission({ programId, id: commissionId }),
    ...readEarlierSales(salesOf),
  };
}
type Found = Gathered<ReturnType<typeof gather>>;

/** Ends a hold, whatever its evidence; or takes a commission back that was not yet paid, by an entry of minus its amount. */
export const decideCommission: Operation<DecideCommissionCall, ReturnType<typeof gather>, undefined> = {
  needs: ({ programId }) => [{ kind: "program", programId }],

  gather,

  locks(call, { found, customer }) {
    if (found === undefined) return { exclusive: [`commission ${call.commissionId}`] };
    const sale = transactionLock({ programId: call.programId, isTest: false }, found.transactionId);
    if (found.customerId === null) return { exclusive: [sale] };
    const lock = customerLock(found.customerId);
    return confirms(call, customer) ? { exclusive: [sale, lock] } : { exclusive: [sale], shared: [lock] };
  },

  decide(call, all, context) {
    const { done, found, customer } = all;
    const { programId, decision } = call;
    const program = context.settings.program(programId);
    if (!program || found === undefined) return refuse({ code: "not_found", what: "commission" });
    const { commission, occurredAt, saleId } = found;
    if (done !== undefined || commission.status === decision) return noChange(programId, undefined);
    if (isAfter({ occurredAt, saleId }, customer?.movedUpTo)) return refuse({ code: "moving" });
    const isOpen = commission.status === "pending" || (commission.status === "approved" && decision === "rejected");
    if (!isOpen) {
      return refuse({ code: "state_conflict", message: `A ${commission.status} commission can't be ${decision}` });
    }

    const { id, isUnconfirmed: wasUnconfirmed, approvedAt, approvedBy, initialCents } = commission;
    const approval =
      decision === "approved"
        ? ({ approvedAt: call.at, approvedBy: "person", isUnconfirmed: false } as const)
        : { approvedAt, approvedBy, isUnconfirmed: wasUnconfirmed };
    const writes: Write[] = [setCommissionState({ id, status: decision, initialCents, ...approval })];
    if (decision === "rejected" && commission.amountCents > 0 && commission.partnerId !== null) {
      const day = dayIn(program.timezone, call.at);
      const rejected = { kind: "rejected", amountCents: -commission.amountCents, occurredAt: call.at, day } as const;
      writes.push(insertEntry(entryOf(commission, commission, commission.partnerId, rejected, context)));
    }

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
    if (customer === undefined || !confirms(call, customer))
      return auditedChange(call, change, writes, undefined, context);

    // A person's word is as good as a key's: it backs the customer's attribution, and so all that rests on it.
    const earlier = earlierSales(all, allSalesOf(customer.id));
    if ("kind" in earlier) return earlier;
    const confirmed = { ...customer, confirmedAt: call.at };
    const follow = {
      customer: confirmed,
      credit: undefined,
      program,
      at: call.at,
      isMoving: false,
      isPending: customer.movedUpTo !== null,
    };
    const followed = followCustomer(earlier, follow, standingOf(confirmed), context);
    writes.push(updateCustomer({ ...confirmed, ...standingColumns(followed.standing) }), ...followed.writes);
    return { ...auditedChange(call, change, writes, undefined, context), holdUntil: followed.holdUntil };
  },
};

/** Whether an approval backs the customer's attribution too. */
const confirms = ({ decision }: DecideCommissionCall, customer: Found["customer"]): boolean =>
  decision === "approved" && customer !== undefined && isUnconfirmed(customer);

type Cursor = NonNullable<Found["customer"]>["movedUpTo"];

/** Whether a sale has yet to follow its customer. */
const isAfter = (
  { occurredAt, saleId }: { readonly occurredAt: number; readonly saleId: number },
  movedUpTo: Cursor | undefined,
): boolean =>
  movedUpTo != null &&
  (occurredAt > movedUpTo.afterOccurredAt ||
    (occurredAt === movedUpTo.afterOccurredAt && saleId > movedUpTo.afterSaleId));
