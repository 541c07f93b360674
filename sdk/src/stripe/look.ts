import type { StripeFound, StripeOptions } from "./found.ts";
import type { Charge, CreditNote, Dispute, Invoice, PaymentIntent, Refund, Session, StripeEvent } from "./objects.ts";
import { ofIntent, ofInvoice, ofSession } from "./payment-events.ts";
import { ofCharge, ofCreditNote, ofDispute, ofRefund } from "./refund-events.ts";
import { isInvoicePaid, isSessionPaid } from "./sale.ts";

type Read = (object: object, event: StripeEvent, options: StripeOptions) => Promise<StripeFound>;

const readers: readonly (readonly [isOf: (type: string) => boolean, read: Read])[] = [
  [isSessionPaid, (object, event, options) => ofSession(object as Session, event, options)],
  [isInvoicePaid, (object, event, options) => ofInvoice(object as Invoice, event, options)],
  [is("payment_intent.succeeded"), (object, event, options) => ofIntent(object as PaymentIntent, event, options)],
  [is("charge.refunded"), (object, event, options) => ofCharge(object as Charge, event, options)],
  [(type) => /^(charge\.)?refund\./.test(type), (object, event, options) => ofRefund(object as Refund, event, options)],
  [is("charge.dispute.funds_withdrawn"), disputeReader(false)],
  [is("charge.dispute.funds_reinstated"), disputeReader(true)],
  [is("credit_note.created"), creditNoteReader(false)],
  [is("credit_note.voided"), creditNoteReader(true)],
];

export async function look(event: StripeEvent, options: StripeOptions): Promise<StripeFound> {
  // A thin event names its object, but doesn't contain it.
  const { data } = event as Partial<StripeEvent>;
  if (!data?.object) return { refused: "it is a thin event: choose snapshot payloads for this endpoint at Stripe" };
  const read = readers.find(([isOf]) => isOf(event.type))?.[1];
  return read ? read(data.object, event, options) : { skip: "this type of event doesn't report a payment" };
}

function is(wanted: string): (type: string) => boolean {
  return (type) => type === wanted;
}

function disputeReader(isBack: boolean): Read {
  return (object, event, options) => ofDispute(object as Dispute, event, options, isBack);
}

function creditNoteReader(isVoid: boolean): Read {
  return (object, event, options) => ofCreditNote(object as CreditNote, event, options, isVoid);
}
