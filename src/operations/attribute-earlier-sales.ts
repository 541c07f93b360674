import { replayRefunds } from "../domain/refund.ts";
import {
  attributeCommission,
  attributeRefund,
  attributeSale,
  insertEntry,
  type RecordedSale,
  type RefundRow,
} from "../store/sales.ts";
import type { Program } from "../store/settings.ts";
import type { Write } from "../store/statement.ts";
import { attributionColumns, type Credit, commissionTerms, entryOf } from "./credit-sale.ts";
import type { Context } from "./operation.ts";

export interface EarlierSales {
  /** Not yet attributed, the earliest first. */
  readonly sales: readonly RecordedSale[];
  readonly refunds: readonly RefundRow[];
}

export interface Attributed {
  readonly writes: readonly Write[];
  readonly sales: readonly { readonly saleId: number; readonly commissionId: number }[];
  /** The instant of the earliest of them, where no sale of the customer's is earlier. */
  readonly firstAt: number | undefined;
  readonly holdUntil: number | undefined;
}

/**
 * Gives sales that were told before their customer was placed the partner they are owed to. Each earns by the policy in
 * force when it happened; refunds made meanwhile follow as reversals with their own dates. `saleAt` is the instant of
 * the sale that is told only now, where it is a sale that places them.
 */
export function attributeEarlierSales(
  { sales, refunds }: EarlierSales,
  credit: Credit,
  program: Program,
  context: Context,
  at: number,
  saleAt: number | undefined,
): Attributed {
  const [first] = sales;
  const isFirstTold = saleAt === undefined || (first !== undefined && first.sale.occurredAt <= saleAt);
  const firstAt = isFirstTold ? first?.sale.occurredAt : undefined;
  const attributed = sales.map((recorded) => {
    const own = refunds.filter(({ saleId }) => saleId === recorded.sale.id);
    const isFirst = isFirstTold && recorded === first;
    return attributeOne(recorded, own, credit, program, isFirst ? undefined : (firstAt ?? saleAt), context, at);
  });
  const holds = attributed.flatMap(({ holdUntil }) => (holdUntil === undefined ? [] : [holdUntil]));
  return {
    writes: attributed.flatMap(({ writes }) => writes),
    sales: sales.map(({ sale, commission }) => ({ saleId: sale.id, commissionId: commission.id })),
    firstAt,
    holdUntil: holds.length === 0 ? undefined : Math.min(...holds),
  };
}

function attributeOne(
  { sale, commission }: RecordedSale,
  refunds: readonly RefundRow[],
  credit: Credit,
  program: Program,
  firstAttributedSaleAt: number | undefined,
  context: Context,
  at: number,
): { readonly writes: readonly Write[]; readonly holdUntil: number | undefined } {
  const terms = commissionTerms(sale, credit, program, firstAttributedSaleAt, at);
  const isDue = terms.status !== "void";
  const status = isDue && sale.refundedCents === sale.amountCents ? "reversed" : terms.status;
  const reversed = replayRefunds(
    terms.initialCents,
    sale.amountCents,
    refunds.map(({ refundedTotalCents }) => refundedTotalCents),
  );
  const entry = (kind: "earned" | "reversed", amountCents: number, occurredAt: number, refundId: number | null) =>
    insertEntry(
      entryOf(
        sale,
        commission,
        credit.partnerId,
        { id: context.newId("ledgerEntries"), kind, amountCents, refundId, occurredAt, createdAt: at },
        program.timezone,
      ),
    );

  const earned = isDue ? [entry("earned", terms.initialCents, sale.occurredAt, null)] : [];
  let left = terms.initialCents;
  const replays = refunds.flatMap((refund, i) => {
    const reversedCents = reversed[i] ?? 0;
    left -= reversedCents;
    const isWhole = refund.refundedTotalCents === sale.amountCents;
    const replayed = attributeRefund({
      ...refund,
      partnerId: credit.partnerId,
      status: isDue ? (isWhole ? "reversed" : "refunded") : "no_commission",
      commissionReversedCents: reversedCents,
      commissionAmountCents: left,
    });
    return reversedCents === 0
      ? [replayed]
      : [replayed, entry("reversed", -reversedCents, refund.occurredAt, refund.id)];
  });
  return {
    writes: [
      attributeSale({ ...sale, ...attributionColumns(credit) }),
      attributeCommission({ ...commission, ...terms, status }),
      ...earned,
      ...replays,
    ],
    holdUntil: status === "pending" ? (terms.holdUntil ?? undefined) : undefined,
  };
}
