import { timestampOrNull } from "#http/schema/timestamp.ts";
import type { PayoutView } from "#store/views/payouts.ts";
import { flagsOf } from "./partners.ts";

const noPayment = { method: null, last4: null, earlier: null, setBy: "", setAt: null };

const hidden = {
  email: undefined,
  paymentMethod: undefined,
  paymentAccount: undefined,
  earlierAccount: undefined,
  paymentSetBy: undefined,
  paymentSetAt: undefined,
  flags: undefined,
};

type Details = Pick<PayoutView["lines"][number], "email" | "payment" | "sharing">;

/** `emails`: of the accounts that set payment details. Undefined: neither these nor the details are shown. */
export function paidTo({ email, payment, sharing }: Details, emails: ReadonlyMap<string, string> | undefined) {
  if (emails === undefined) return hidden;
  const { method, last4, earlier, setBy, setAt } = payment ?? noPayment;
  return {
    email,
    paymentMethod: method,
    paymentAccount: last4,
    earlierAccount: earlier,
    paymentSetBy: emails.get(setBy) ?? null,
    paymentSetAt: timestampOrNull(setAt),
    flags: flagsOf(sharing),
  };
}
