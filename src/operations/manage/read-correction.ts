import type { CustomerId, SaleId } from "#domain/ids.ts";
import { explanationOfSale } from "#store/commissions.ts";
import { bindingSaleWithout } from "#store/coupons.ts";
import { clickOfSale, decidingClicksWithout } from "#store/customer-clicks.ts";
import { customerById, firstSalesWithout } from "#store/customers.ts";
import { othersOfPartner, placesOfVersions } from "#store/former-place.ts";
import { clickOfLead, judgedByLead } from "#store/leads.ts";
import { correctionOfSale, type RecordedSale, saleById } from "#store/sales.ts";
import { signalsToCarry } from "#store/signals.ts";
import { firstOf } from "#store/statement.ts";
import { type MoreSalesOfEach, readEarlierSales } from "../attribution/earlier-sales.ts";
import type { Gathered } from "../operation.ts";
import { validClicks } from "../track/buyer.ts";
import { type MoreOfRefund, recordRefund } from "../track/record-refund.ts";
import { type MoreOfSale, recordSale } from "../track/record-sale.ts";
import { type CorrectSaleCall, isSameCustomer, saleAgain, undoing } from "./correction.ts";

/** The most rows that the reads of the customer's other sales scan. It limits how many corrections share a round. */
export const rowsOfCorrection = 800;

export interface MoreOfCorrection extends MoreOfSale, MoreOfRefund, MoreSalesOfEach {
  /** Reads the customer's other sales. */
  readonly othersOfCustomer: true;
}

export function readCorrection(call: CorrectSaleCall, more: Partial<MoreOfCorrection>) {
  const { programId, sale } = call;
  const { customerId } = sale;
  const customer = more.othersOfCustomer && customerId !== null ? { customerId, saleId: sale.id } : undefined;
  const refunded = recordRefund.gather(undoing(call), more);
  const { recorded: taken, ...again } = recordSale.gather(saleAgain(call), more);
  const [after] = more.salesOfEach ?? [];
  const ofLeft = after && readEarlierSales(after);
  return {
    asked: saleById({ programId, id: sale.id }),
    explanation: explanationOfSale({ programId, saleId: sale.id }),
    signals: signalsToCarry({ programId, saleId: sale.id }),
    corrected: correctionOfSale({ programId, id: sale.id }),
    newest: refunded.recorded,
    history: refunded.refunds,
    buyer: refunded.buyer,
    ...readOthers(call, customer),
    /** The sale's current customer, if the correction moves it to another. */
    left: customerId === null || isSameCustomer(call) ? undefined : firstOf(customerById({ customerId })),
    leftSales: ofLeft?.sales,
    leftRefunds: ofLeft?.refunds,
    taken,
    ...again,
    subscriberClicks: customer && isSameCustomer(call) ? clicksWithoutSale(call, customer) : undefined,
    subscriber: customerId !== null && isSameCustomer(call) ? firstOf(customerById({ customerId })) : undefined,
  };
}

interface Without {
  readonly customerId: CustomerId;
  readonly saleId: SaleId;
}

/**
 * Facts about the customer that only some corrections need. `customer` is undefined if these facts haven't been
 * requested.
 */
function readOthers(call: CorrectSaleCall, customer: Without | undefined) {
  const { programId, sale } = call;
  const rebound = mayRebind(call) ? customer : undefined;
  const movedTo = isSameCustomer(call) ? saleAgain(call).occurredAt : null;
  const leaving = isSameCustomer(call) ? undefined : customer;
  return {
    formerSales: customer && othersOfPartner({ programId, saleId: sale.id }),
    tookPlaces: customer && placesOfVersions({ programId, saleId: sale.id }),
    firstSales: customer && firstSalesWithout(customer),
    binding: rebound && bindingSaleWithout({ ...rebound, movedTo }),
    lead: rebound && clickOfLead({ customerId: rebound.customerId }),
    leadClicks: leaving && judgedByLead({ customerId: leaving.customerId }),
    movingClick: leaving && sale.sentClickId !== null ? clickOfSale({ saleId: sale.id }) : undefined,
  };
}

function clicksWithoutSale(call: CorrectSaleCall, customer: Without) {
  const again = saleAgain(call);
  const clickIds = validClicks(again).map(({ clickId }) => clickId);
  if (clickIds.length === 0) return undefined;
  return decidingClicksWithout({
    ...customer,
    clickIds: JSON.stringify(clickIds),
    occurredAt: again.occurredAt,
    isSale: true,
  });
}

/** True if the sale's coupon may have attributed its customer, and the sale moves to another instant or customer. */
const mayRebind = (call: CorrectSaleCall): boolean =>
  call.sale.coupons !== null && !(isSameCustomer(call) && saleAgain(call).occurredAt === call.sale.occurredAt);

export type FoundForCorrection = Gathered<ReturnType<typeof readCorrection>>;

export type Correctable = FoundForCorrection & { readonly newest: RecordedSale };
