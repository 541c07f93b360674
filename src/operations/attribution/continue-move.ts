import { saleWithinWindow } from "#domain/attribution.ts";
import type { CustomerId, ProgramId } from "#domain/ids.ts";
import { noPartnerPolicies } from "#domain/policy-in-force.ts";
import { type CustomerRow, customerById, updateCustomer } from "#store/customers.ts";
import { endPendingMove } from "#store/pending-moves.ts";
import type { Call, Operation } from "../operation.ts";
import { earlierAmountLocks } from "./amount-locks.ts";
import { bindingOf, riskOfKnown } from "./customer.ts";
import { earlierSales, instantsOf, type MoreSales, readEarlierSales } from "./earlier-sales.ts";
import { followCustomer, frozenAtMove } from "./follow-customer.ts";
import { type MorePolicies, policiesFor, policiesOfProgram, readPoliciesThen } from "./policies.ts";
import { customerLock } from "./resolve-customer.ts";
import { historyColumns, historyOf } from "./sales-history.ts";

/**
 * Runs the next step of a pending move (the reattribution of a customer with many sales). The Ledger makes this call
 * itself, without a program key, so that moves of archived programs are finished too.
 */
export interface ContinueMoveCall extends Call {
  readonly kind: "continue-move";
  readonly programId: ProgramId;
  readonly customerId: CustomerId;
}

type More = MoreSales & MorePolicies;

const gather = ({ programId, customerId }: ContinueMoveCall, { salesOf, policiesThen }: Partial<More>) => ({
  customers: customerById({ customerId }),
  ...(salesOf && readEarlierSales(salesOf)),
  ...(policiesThen && readPoliciesThen(programId, policiesThen)),
});

/**
 * True if the customer's click no longer covers their first sale. This happens when a coupon stops attributing the
 * customer and the lead's click attributes them again.
 */
function isLostClick(customer: CustomerRow): boolean {
  const { firstSaleAt, firstAttributedSaleAt } = customer;
  const binding = bindingOf(customer);
  if (binding === undefined || firstSaleAt === null || firstAttributedSaleAt !== null) return false;
  return !saleWithinWindow(binding, firstSaleAt).ok;
}

/** `isOver` is true once no sales are left to reattribute. */
export const continueMove: Operation<
  ContinueMoveCall,
  ReturnType<typeof gather>,
  { readonly isOver: boolean },
  More
> = {
  kind: "continue-move",
  lane: "control",
  needs: ({ programId }) => [{ kind: "program", programId }, policiesOfProgram(programId)],

  gather,

  locks: ({ customerId }, { customers, sales }) => ({
    exclusive: [customerLock(customerId)],
    shared: earlierAmountLocks(sales, customers),
  }),

  decide({ at, programId, customerId }, { customers: [customer], ...found }, context) {
    const program = context.settings.program(programId);
    if (!program || !customer?.movedUpTo) {
      const writes = customer?.movedUpTo ? [endPendingMove({ customerId })] : [];
      return { kind: "commit", programId, answer: { isOver: true }, writes };
    }
    const { afterOccurredAt, afterSaleId, policyVersion } = customer.movedUpTo;
    const earlier = earlierSales(found, { customerId, afterOccurredAt, afterSaleId });
    if ("kind" in earlier) return earlier;
    const { partnerId } = customer;
    // If a coupon had attributed the customer, the customer may be unattributed by now.
    const policies =
      partnerId === null
        ? noPartnerPolicies
        : policiesFor(
            { programId, partnerId, instants: instantsOf(earlier), upTo: policyVersion },
            found,
            context.settings,
          );
    if ("kind" in policies) return policies;

    const then = frozenAtMove(
      customer,
      { code: customer.partnerCode ?? "", risk: riskOfKnown(customer) },
      customer.movedUpTo,
      { program, policies },
    );
    // After a member has approved a browser's report, the move only confirms sales of the current partner. If the click
    // no longer covers the first sale (`isLostClick`), the move only removes the partner from sales of a coupon that no
    // longer attributes the customer.
    const isApproved = customer.evidence === "browser" && customer.confirmedAt !== null;
    const isLost = isLostClick(customer);
    const credit = isApproved || isLost ? undefined : then.credit;
    // As in the move's first step: while the sales history is rebuilt, sales already credited to the partner are added
    // to it.
    const isReattributing = customer.source === "coupon" || customer.firstAttributedSaleAt === null;
    const target = {
      ...then,
      policyVersion,
      customer,
      credit,
      context,
      at,
      isReattributing,
      isPending: true,
      isRebound: isLost,
    };
    const followed = followCustomer(earlier, target, historyOf(customer));
    const after = { ...customer, ...historyColumns(followed.history) };
    return {
      kind: "commit",
      programId,
      answer: { isOver: !earlier.hasMore },
      writes: [updateCustomer(after), ...followed.writes],
      holdUntil: followed.holdUntil,
    };
  },
};
