import { customerById, endPendingMove, updateCustomer } from "../../store/customers.ts";
import type { Call, Operation, SalesAfter } from "../operation.ts";
import { earlierSales, readEarlierSales } from "./earlier-sales.ts";
import { followCustomer, frozenAtMove, historyColumns, historyOf } from "./follow-customer.ts";
import { customerLock } from "./resolve-customer.ts";

/** The Ledger's own call: the next step of a customer's sales. An archived program's moves are finished too. */
export interface ContinueMoveCall extends Call {
  readonly kind: "continue-move";
  readonly programId: number;
  readonly customerId: number;
}

function gather({ customerId }: ContinueMoveCall, { salesOf }: { readonly salesOf?: SalesAfter }) {
  return {
    customers: customerById({ customerId }),
    ...readEarlierSales(salesOf),
  };
}

/** Has the next of a customer's sales follow the customer. Answers whether all have. */
export const continueMove: Operation<ContinueMoveCall, ReturnType<typeof gather>, { readonly isOver: boolean }> = {
  needs: ({ programId }) => [{ kind: "program", programId }],

  gather,

  locks: ({ customerId }) => ({ exclusive: [customerLock(customerId)] }),

  decide({ at, programId, customerId }, { customers: [customer], ...found }, context) {
    const program = context.settings.program(programId);
    if (!program || !customer?.movedUpTo || customer.partnerCode === null) {
      const writes = customer?.movedUpTo ? [endPendingMove({ customerId })] : [];
      return { kind: "commit", programId, answer: { isOver: true }, writes };
    }
    const { afterOccurredAt, afterSaleId } = customer.movedUpTo;
    const earlier = earlierSales(found, { customerId, afterOccurredAt, afterSaleId });
    if ("kind" in earlier) return earlier;

    const then = frozenAtMove(customer, customer.partnerCode, customer.movedUpTo, program);
    // A person's approval confirms what is there; only a key's evidence brings other sales along.
    const credit = customer.evidence === "key" ? then.credit : undefined;
    const follow = { customer, credit, program: then.program, at, isMoving: false, isPending: true };
    const standing = historyOf(customer);
    const followed = followCustomer(earlier, follow, standing, context);
    const after = { ...customer, ...historyColumns(followed.standing) };
    return {
      kind: "commit",
      programId,
      answer: { isOver: !earlier.hasMore },
      writes: [updateCustomer(after), ...followed.writes],
      holdUntil: followed.holdUntil,
    };
  },
};
