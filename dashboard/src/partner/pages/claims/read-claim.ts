import { filled, type Values } from "../../../components/form.tsx";
import { parseMoney } from "../../../forms/parse-numbers.ts";

/** The report in a form's fields. Throws an error on the field `amountCents`. */
export function readClaim({ day = "", amountCents, currency = "", reference, note }: Values) {
  const [amount, code] = [filled(amountCents), currency.trim().toUpperCase()];
  return {
    day,
    ...(amount !== undefined && { amountCents: parseMoney(amount, code, "amountCents"), currency: code }),
    reference: filled(reference),
    note: filled(note),
  };
}
