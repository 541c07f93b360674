import { filled, type Values } from "../../../components/form.tsx";
import { parseMoney } from "../../../forms/parse-numbers.ts";

/** Reads the report of a missing sale from a form. Throws an error on the field `amountCents` if it isn't an amount. */
export function readClaim({ day = "", amountCents, currency = "", reference, note }: Values) {
  const [amount, code] = [filled(amountCents), currency.trim().toUpperCase()];
  return {
    day,
    ...(amount !== undefined && { amountCents: parseMoney(amount, code, "amountCents"), currency: code }),
    reference: filled(reference),
    note: filled(note),
  };
}
