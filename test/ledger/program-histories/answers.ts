import type { Both } from "./both.ts";
import type { Command } from "./commands.ts";
import type { Expected } from "./model.ts";
import type { Outcome } from "./program.ts";

type Answered = Extract<Outcome, { readonly ok: true }>["answer"];
type Reading = (answer: Answered, both: Both) => Expected;

/** Converts the service's outcome to the form of the model's responses. */
export function answerOf(both: Both, { kind }: Command, outcome: Outcome): Expected {
  if (outcome.ok) return readings[kind]?.(outcome.answer, both) ?? {};
  if (kind === "assign") return { assigned: false };
  if (kind === "payout") return { refused: true };
  const { code, sale } = outcome.refusal;
  return { refused: code, ...(kind === "repeat" && { sale: saleOf(sale as Answered, both) }) };
}

const partnerOf = ({ program: { codes } }: Both, code: unknown): number | null =>
  code === undefined ? null : codes.indexOf(String(code));

function saleOf({ saleId, partnerCode, source = null, reason = null, commission }: Answered, both: Both): Expected {
  const { status, amountCents, reason: why = null } = commission as Answered;
  const partner = partnerOf(both, partnerCode);
  return { t: both.names.get(saleId), partner, source, reason, status, amount: amountCents, why };
}

function leadOf({ status, reason, partnerCode, repeat = null, attributedSales = [] }: Answered, both: Both): Expected {
  const sales = attributedSales as readonly { readonly saleId: number }[];
  const attributed = status === "attributed" ? { status, partner: partnerOf(both, partnerCode) } : { status, reason };
  // A repeated lead returns the sales that it attributed the first time. The model returns none.
  const listed = repeat === "duplicate" ? [] : sales;
  return { ...attributed, repeat, sales: listed.map(({ saleId }) => both.names.get(saleId)).toSorted() };
}

function refundOf({ status, reason = null, ...answer }: Answered): Expected {
  const { refundedCents, commissionReversedCents, refundedTotalCents, commissionAmountCents } = answer;
  return { status, reason, refundedCents, commissionReversedCents, refundedTotalCents, commissionAmountCents };
}

function correctedOf({ after }: Answered): Expected {
  const { recorded } = after as { recorded: { sale: { transactionId: string } } };
  return { corrected: recorded.sale.transactionId };
}

function assignedOf({ outcomes }: Answered): Expected {
  const [row] = (outcomes as readonly Answered[] | undefined) ?? [{ result: "created" }];
  return { assigned: row?.result === "created" };
}

/** Returns an empty object for a payment file, which isn't compared. */
function payoutOf(answer: Answered | undefined): Expected {
  if (answer === undefined) return {};
  const { status, totalCents } = answer.payout as Answered;
  return { status, total: totalCents };
}

const firstResult = (rows: unknown): Expected => ({ result: (rows as readonly Answered[])[0]?.result });

const readings: { readonly [Kind in Command["kind"]]?: Reading } = {
  ...{
    sale: saleOf,
    repeat: saleOf,
    lead: leadOf,
    refund: refundOf,
    correct: correctedOf,
    assign: assignedOf,
    payout: payoutOf,
  },
  adjust: ({ adjustment }) => ({ adjusted: (adjustment as Answered).amountCents }),
  decide: ({ outcomes }) => firstResult(outcomes),
  review: firstResult,
  erase: () => ({ erased: true }),
};
