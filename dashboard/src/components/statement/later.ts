import type { Statement } from "../../api/types.ts";
import { formatDate, formatMoney } from "../../format.ts";

type Later = Pick<Statement["data"], "returnedOn" | "creditedOn" | "changedLater" | "currency">;

/**
 * Notices on a payment's statement about what happened after the payment. The statement's entries and sums never
 * change.
 */
export function laterNotices({ returnedOn, creditedOn, changedLater, currency }: Later): readonly string[] {
  const credited = creditedOn === null ? "" : ` It was credited after all on ${formatDate(creditedOn)}.`;
  return [
    ...(returnedOn === null
      ? []
      : [`This payment was returned on ${formatDate(returnedOn)}, and its amount became payable again.${credited}`]),
    ...(changedLater === null
      ? []
      : [
          `Refunds and corrections after this payment changed the commissions that it paid by ${formatMoney(changedLater.amountCents, currency)}, the last on ${formatDate(changedLater.lastOn)}. Later statements list them, and the new commissions of corrected sales.`,
        ]),
  ];
}
