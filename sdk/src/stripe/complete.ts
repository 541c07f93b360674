import { inTime } from "../processors/in-time.ts";
import { hasHiddenCodes } from "./coupons.ts";
import { isYoung } from "./found.ts";
import { lookUp, type StripeClient } from "./look-up.ts";
import { type Invoice, idOf, type Session, type StripeEvent } from "./objects.ts";

// Events name discounts only by id, and leave out a session's lines, so both are looked up. If the lookup of coupon
// codes fails, Stripe should deliver the event again, because codes decide which partner gets a customer. If the
// lookup of lines fails, the sale is reported without items.

const completionMs = 2_000;

export async function completeSession(session: Session, event: StripeEvent, stripe: StripeClient): Promise<Session> {
  const payment_intent = idOf(session.payment_intent);
  if (payment_intent === undefined) return session;
  const hasCodes = (session.discounts ?? []).length > 0;
  const also = { expand: ["data.line_items", ...(hasCodes ? ["data.discounts.promotion_code"] : [])] };
  const asked = () => lookUp(stripe).session({ payment_intent }, also);
  const found = await ifAnswered(asked, hasCodes && isYoung(event));
  const { line_items = session.line_items, discounts = session.discounts } = found ?? session;
  return { ...session, line_items, discounts };
}

export async function completeInvoice(invoice: Invoice, event: StripeEvent, stripe: StripeClient): Promise<Invoice> {
  if (!hasHiddenCodes(invoice)) return invoice;
  const also = { expand: ["total_discount_amounts.discount.promotion_code"] };
  const asked = async () => (await stripe.invoices.retrieve(invoice.id, also)) as Invoice;
  const { total_discount_amounts } = (await ifAnswered(asked, isYoung(event))) ?? invoice;
  return { ...invoice, total_discount_amounts };
}

/**
 * Returns undefined if Stripe refuses, for example because the key has no access. For any other failure, throws if the
 * answer is worth another delivery of the event, and otherwise returns undefined.
 */
async function ifAnswered<Answer>(
  ask: () => Promise<Answer | undefined>,
  isWorthAnother: boolean,
): Promise<Answer | undefined> {
  try {
    return await inTime(ask(), completionMs);
  } catch (error) {
    const status = Number(Object(error).statusCode);
    const isRefused = status >= 400 && status < 500 && status !== 429;
    if (isRefused || !isWorthAnother) return undefined;
    throw error;
  }
}
