import { isPlaceholderId } from "#domain/caller-id.ts";
import { caps } from "#domain/caps.ts";
import { notFound } from "#domain/result.ts";
import type { RecordedSale } from "#store/sales.ts";
import { amountLocks, earlierAmountLocks } from "../attribution/amount-locks.ts";
import { findCustomer } from "../attribution/customer.ts";
import { fewestSalesOf } from "../attribution/earlier-sales.ts";
import { customerLock, transactionLock } from "../attribution/resolve-customer.ts";
import { payoutLock } from "../locks.ts";
import { type Decision, type Locks, type Operation, refuse, retryWith } from "../operation.ts";
import { validClicks } from "../track/buyer.ts";
import { recordSale } from "../track/record-sale.ts";
import {
  type CorrectSaleCall,
  changesNothing,
  isAsCorrected,
  keyAfter,
  type SaleCorrected,
  saleAgain,
} from "./correction.ts";
import { planCorrection } from "./plan-correction.ts";
import { type FoundForCorrection, type MoreOfCorrection, readCorrection, rowsOfCorrection } from "./read-correction.ts";
import { saleAsStored } from "./sale-as-stored.ts";
import { isArchived, noChange } from "./settings-change.ts";
import { whyUncorrectable } from "./uncorrectable.ts";

/** Refunds the rest of a sale and records it again with the corrected values, in one commit. */
export const correctSale: Operation<
  CorrectSaleCall,
  ReturnType<typeof readCorrection>,
  SaleCorrected,
  MoreOfCorrection
> = {
  kind: "correct-sale",
  lane: "control",
  needs: (call) => recordSale.needs(saleAgain(call)),

  names: saleAsStored,
  gather: readCorrection,

  locks(call, found): Locks {
    const { programId, sale } = call;
    const { exclusive, shared = [] } = recordSale.locks(saleAgain(call), { ...found, recorded: found.taken });
    const customers = [...found.customers.map(({ id }) => id), ...(sale.customerId === null ? [] : [sale.customerId])];
    const amounts = found.buyer === undefined ? [] : amountLocks(found.buyer, sale);
    const transaction = transactionLock({ programId, isTest: false }, sale.transactionId);
    const ofLeft = found.left === undefined ? [] : earlierAmountLocks(found.leftSales, [found.left]);
    const own = [transaction, ...amounts, ...ofLeft, ...customers.map(customerLock)];
    return { exclusive: [...new Set([...own, ...exclusive, ...shared])], shared: [payoutLock(programId)] };
  },

  decide(call, found, context) {
    const { programId, sale } = call;
    const program = context.settings.program(programId);
    if (!program || found.asked === undefined || found.newest === undefined) {
      return refuse(notFound("sale"));
    }
    if (found.corrected !== undefined) return repeatedCorrection(call, found.corrected, found);
    if (isArchived(context.settings, programId)) return refuse({ code: "program_archived" });
    // The correction would copy identifiers that the running erasure wouldn't find any more.
    if (call.isBeingErased) return refuse({ code: "moving" });
    if (changesNothing(call, found.asked.sale)) return refuse({ code: "nothing_to_correct" });
    if (namesUnknownPlaceholder(call, found)) return refuse({ code: "placeholder_id", field: "customerKey" });
    const { transactionId } = saleAgain(call);
    const uncorrectable = whyUncorrectable(found.newest, transactionId);
    if (uncorrectable !== undefined) return refuse(uncorrectable);
    if ((sale.correction ?? 0) >= caps.corrections.max) return refuse({ code: "cap_reached", cap: "corrections" });
    if (found.taken !== undefined) return refuse({ code: "id_taken", id: transactionId });
    if (
      [...found.customers, found.subscriber, found.left].some(
        (customer) => customer != null && customer.movedUpTo !== null,
      )
    ) {
      return refuse({ code: "moving" });
    }
    if (sale.customerId !== null && found.firstSales === undefined) {
      return retryWith({ othersOfCustomer: true, ...salesToMove(call, found), rows: rowsOfCorrection });
    }
    const deciding = { program, context, at: call.at };
    const correctable = { ...found, newest: found.newest };
    return isNamed(call, found)
      ? planCorrection(
          { ...call, isNaming: true },
          { ...correctable, left: undefined, subscriber: found.left },
          deciding,
        )
      : planCorrection(call, correctable, deciding);
  },
};

/**
 * If the sale's coupon attributed its customer and the sale moves to another customer, the former customer's sales are
 * read in the same round trip.
 */
const salesToMove = (call: CorrectSaleCall, { left }: FoundForCorrection): Partial<MoreOfCorrection> =>
  left?.source === "coupon" && left.since === call.sale.occurredAt ? { salesOfEach: [fewestSalesOf(left.id)] } : {};

/**
 * True if the correction only gives a customer key to a customer known by clicks. The customer keeps the sale, unless
 * another customer already has that key.
 */
const isNamed = (call: CorrectSaleCall, { customers, clicks = [], left }: FoundForCorrection): boolean =>
  left !== undefined &&
  findCustomer({ customers, clicks }, keyAfter(call), validClicks(saleAgain(call)))?.id === left.id;

const namesUnknownPlaceholder = (
  { changes: { customerKey = "" } }: CorrectSaleCall,
  { customers }: FoundForCorrection,
): boolean => isPlaceholderId(customerKey) && !customers.some((known) => known.customerKey === customerKey);

/**
 * Returns the first answer if the same correction is sent again. Refuses a different correction, which must be sent
 * with the sale's current id.
 */
function repeatedCorrection(
  call: CorrectSaleCall,
  corrected: RecordedSale,
  { asked, newest = corrected }: FoundForCorrection,
): Decision<SaleCorrected> {
  if (asked === undefined || !isAsCorrected(call, corrected.sale)) {
    const { id: saleId, transactionId } = newest.sale;
    return refuse({ code: "already_corrected", saleId, transactionId });
  }
  return noChange(call.programId, {
    before: { recorded: asked, customerKey: call.customerKey },
    after: { recorded: corrected, customerKey: keyAfter(call) },
  });
}
