import { hasHiddenCodes } from "./coupons.ts";
import { isYoung } from "./found.ts";
import { lookUp, type StripeClient } from "./look-up.ts";
import { type Invoice, idOf, type Session, type StripeEvent } from "./objects.ts";

// Events name discounts by id alone, and leave out a session's lines. A sale is recorded without them if Stripe refuses
// them, for example because its key has no access.

export async function completeSession(session: Session, event: StripeEvent, stripe: StripeClient): Promise<Session> {
  const payment_intent = idOf(session.payment_intent);
  if (payment_intent === undefined) return session;
  const codes = session.discounts?.length ? ["data.discounts.promotion_code"] : [];
  const also = { expand: ["data.line_items", ...codes] };
  const found = await ifAnswered(() => lookUp(stripe).session({ payment_intent }, also), event);
  const { line_items = session.line_items, discounts = session.discounts } = found ?? session;
  return { ...session, line_items, discounts };
}

export async function completeInvoice(invoice: Invoice, event: StripeEvent, stripe: StripeClient): Promise<Invoice> {
  if (!hasHiddenCodes(invoice)) return invoice;
  const also = { expand: ["total_discount_amounts.discount.promotion_code"] };
  const found = await ifAnswered(async () => (await stripe.invoices.retrieve(invoice.id, also)) as Invoice, event);
  const { total_discount_amounts } = found ?? invoice;
  return { ...invoice, total_discount_amounts };
}

/** Undefined if Stripe refuses, or still doesn't answer after a day. Until then, Stripe delivers the event again. */
async function ifAnswered<Answer>(
  ask: () => Promise<Answer | undefined>,
  event: StripeEvent,
): Promise<Answer | undefined> {
  try {
    return await ask();
  } catch (error) {
    const status = Number(Object(error).statusCode);
    const isRefused = status >= 400 && status < 500 && status !== 429;
    if (isRefused || !isYoung(event)) return undefined;
    throw error;
  }
}
