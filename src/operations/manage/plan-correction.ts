import type { CommissionId, CustomerId } from "#domain/ids.ts";
import { type KnownCustomer, setFirstSales, setOneTimeCommission, unbindCustomer } from "#store/customers.ts";
import type { RecordedSale } from "#store/sales.ts";
import type { Write } from "#store/statement.ts";
import { type Context, type Deciding, type Decision, refuse } from "../operation.ts";
import { type FoundRefund, recordRefund } from "../track/record-refund.ts";
import { decideNewSale, type FoundForSale } from "../track/record-sale.ts";
import type { SaleCall } from "../track/sale.ts";
import {
  type CorrectedSale,
  type CorrectSaleCall,
  isSameCustomer,
  keyAfter,
  type SaleCorrected,
  saleAgain,
  undoing,
} from "./correction.ts";
import { firstSalesAfter, unboundWithout } from "./first-sales.ts";
import { keptCredit } from "./kept-credit.ts";
import { noted } from "./noted.ts";
import type { Correctable } from "./read-correction.ts";
import { refundsToRepeat, repeatRefunds } from "./repeat-refunds.ts";
import { auditWrite, noChange } from "./settings-change.ts";

/** Decides the new sale as if the undone one had never been. */
export function planCorrection(call: CorrectSaleCall, found: Correctable, deciding: Deciding): Decision<SaleCorrected> {
  const { newest, history, buyer } = found;
  const undo = undoing(call);
  const undone = recordRefund.decide(undo, { recorded: newest, refunds: history, buyer }, deciding.context);
  const idTaken = refuse({ code: "id_taken", id: undo.refundId });
  if (undone.kind === "refuse" && undone.refusal.code === "refund_conflict") return idTaken;
  if (undone.kind === "refuse" && undone.refusal.code === "too_many_refunds")
    return refuse({ code: "too_many_to_repeat" });
  if (undone.kind !== "commit") return undone;
  const left = undone.then as FoundRefund | undefined;
  if (left?.recorded === undefined || left.recorded.sale.refundedCents < newest.sale.amountCents) {
    return idTaken;
  }
  const again = saleAgain(call);
  const toRepeat = refundsToRepeat(history.history?.rows ?? [], newest.sale, again);
  if ("kind" in toRepeat) return toRepeat;
  const freed = freedPlace(left);
  const firstSales = firstSalesAfter(
    found.firstSales,
    newest.sale,
    isSameCustomer(call) ? again.occurredAt : undefined,
  );
  const refunded = afterRefund(found, newest.sale, { buyer: left.buyer, freed, firstSales });
  const decided = decideAgain(again, found, refunded, deciding);
  if (!("recorded" in decided)) return decided;
  const repeated = repeatRefunds({ ...undo, transactionId: again.transactionId }, decided, toRepeat, deciding);
  const answer: SaleCorrected = {
    before: { recorded: newest, customerKey: call.customerKey },
    after: { recorded: repeated.recorded, customerKey: keyAfter(call) },
  };
  if (call.isDryRun) return noChange(call.programId, answer);
  return {
    kind: "commit",
    programId: call.programId,
    answer,
    writes: [
      ...undone.writes,
      ...(freed === undefined ? [] : [setOneTimeCommission({ id: freed, oneTimeCommissionId: null })]),
      ...firstSalesWrites(call, found, firstSales),
      ...decided.writes,
      ...repeated.writes,
      ...recordOf(call, answer, deciding.context),
    ],
    holdUntil: decided.holdUntil,
  };
}

function firstSalesWrites(
  call: CorrectSaleCall,
  found: Correctable,
  firstSales: Undone["firstSales"],
): readonly Write[] {
  const unbound = isSameCustomer(call) ? undefined : unboundWithout(found.firstSales, found.newest.sale);
  if (unbound !== undefined) return [unbindCustomer(unbound)];
  return firstSales === undefined ? [] : [setFirstSales(firstSales)];
}

function decideAgain(
  again: SaleCall,
  found: Correctable,
  refunded: FoundForSale,
  deciding: Deciding,
): ReturnType<typeof decideNewSale> {
  const kept = keptCredit(again, found, deciding);
  return kept !== undefined && "kind" in kept
    ? kept
    : decideNewSale(again, refunded, deciding, { kept, signals: found.signals });
}

/** The customer whose `one_time` place the corrected sale's commission has. */
function freedPlace({ buyer, recorded }: FoundRefund): number | undefined {
  return buyer !== undefined && buyer.oneTimeCommissionId === recorded?.commission.id ? buyer.id : undefined;
}

interface Undone {
  readonly buyer: FoundRefund["buyer"];
  readonly freed: number | undefined;
  readonly firstSales: ReturnType<typeof firstSalesAfter>;
}

/** What was read for the new sale, as it is once the old one is refunded. */
function afterRefund(
  found: Correctable,
  { id: saleId }: RecordedSale["sale"],
  { buyer, freed, firstSales }: Undone,
): FoundForSale {
  const asUndone = <C extends { readonly id: CustomerId; readonly oneTimeCommissionId: CommissionId | null }>(
    customer: C,
  ): C =>
    customer.id === buyer?.id
      ? { ...customer, ...firstSales, oneTimeCommissionId: freed === undefined ? buyer.oneTimeCommissionId : null }
      : customer;
  return {
    ...found,
    recorded: undefined,
    customers: found.customers.map(asUndone),
    subscriber: found.subscriber && asUndone({ ...found.subscriber, nearbySale: nearbyOf(found.subscriber, found) }),
    sales: found.sales && {
      ...found.sales,
      found: found.sales.found.map(({ sale, commission }) => ({
        sale: sale.id === saleId ? { ...sale, isReplaced: true } : sale,
        commission,
      })),
    },
    behind: found.behind?.filter(({ id }) => id !== saleId),
  };
}

/** It was looked for beside the customer whom the key names. */
const nearbyOf = ({ id }: KnownCustomer, { customers }: Correctable) =>
  customers.find((customer) => customer.id === id)?.nearbySale ?? null;

function recordOf(call: CorrectSaleCall, { before, after }: SaleCorrected, context: Context): readonly Write[] {
  const { programId, sale, reason } = call;
  const subject = `sale ${sale.id}`;
  const texts = noted({ programId, subject }, { reason }, context);
  const told = ({ recorded: { sale: of, commission }, customerKey }: CorrectedSale) => ({
    transactionId: of.transactionId,
    amountCents: of.amountCents,
    currency: of.currency,
    customerKey,
    occurredAt: new Date(of.occurredAt).toISOString(),
    commissionCents: commission.amountCents,
  });
  const change = {
    programId,
    action: "sale.corrected",
    subject,
    before: told(before),
    after: { ...told(after), ...texts.named },
  };
  return [...texts.writes, auditWrite(call, change, context)];
}
