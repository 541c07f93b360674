import { dayIn } from "#domain/calendar.ts";
import type { Hold } from "#domain/risk.ts";
import { joinHolds } from "#domain/signals.ts";
import { insertCommission, insertEntry, type NewCommission } from "#store/commissions.ts";
import type { CustomerRow } from "#store/customers.ts";
import { insertSale, type RecordedSale, type SaleRow } from "#store/sales.ts";
import { insertSignal, type SignalRow } from "#store/signals.ts";
import type { Write } from "#store/statement.ts";
import {
  attributionColumns,
  awaitedBy,
  type CreditedSale,
  decideCommission,
  isCredit,
  ledgerEntry,
  signalWrites,
} from "../attribution/commission-for-sale.ts";
import type { Commit, Deciding } from "../operation.ts";
import { bookOf, detailsOf, type JudgedSale, type SaleAnswer, saleAnswer } from "./sale.ts";

export interface PlannedSale {
  readonly recorded: RecordedSale;
  readonly answer: SaleAnswer;
  readonly writes: readonly Write[];
  readonly holdUntil: number | undefined;
}

export const commitOf = (
  { answer }: PlannedSale,
  writes: readonly Write[],
  holdUntil: number | undefined,
): Commit<SaleAnswer> => ({ kind: "commit", programId: answer.programId, answer, writes, holdUntil });

const isLive = ({ effect, endedAt }: SignalRow): boolean => effect === "hold" && endedAt === null;
const holdOfSignal = ({ raisedAt, reviewUntil }: SignalRow): Hold => ({ heldAt: raisedAt, reviewUntil });

export function planSale(
  call: JudgedSale,
  customer: CustomerRow | undefined,
  {
    carried = [],
    ...credited
  }: Omit<CreditedSale, "sale" | "kept" | "renewal"> & {
    /** Signals of the sale that this sale corrects. */
    readonly carried?: readonly SignalRow[];
  },
  deciding: Deciding,
): PlannedSale {
  const { credit } = credited;
  const { program, context } = deciding;
  const book = bookOf(call);
  const sale: SaleRow = {
    ...book,
    ...attributionColumns(credit),
    id: context.newId("sales"),
    transactionId: call.transactionId,
    operationId: call.operationId,
    customerId: customer?.id ?? null,
    amountCents: call.amountCents,
    currency: call.currency ?? program.currency,
    sentCustomerKey: call.customerKey,
    sentClickId: call.clickId,
    isOtherKey: call.customerKey !== null && call.customerKey !== customer?.customerKey,
    ...detailsOf(call),
    refundedCents: 0,
    occurredAt: call.occurredAt,
    createdAt: call.at,
    day: dayIn(program.timezone, call.occurredAt),
    correctedSaleId: call.corrects?.saleId ?? null,
    correction: call.corrects?.number ?? null,
    isErased: call.corrects?.isErased ?? false,
  };
  const kept = {
    hold: joinHolds(carried.filter(isLive).map(holdOfSignal)),
    codes: carried.map(({ code }) => code),
    lastAt: null,
  };
  const { terms, signals } = decideCommission({ ...credited, sale, kept, renewal: call.renewal }, deciding);
  const commission: NewCommission = {
    ...book,
    ...terms,
    id: context.newId("commissions"),
    saleId: sale.id,
    // A database trigger adds up the entries, so the `earned` entry below sets the amount.
    amountCents: 0,
    createdAt: call.at,
    reversedNumber: null,
  };
  const writes: Write[] = [insertSale(sale), insertCommission(commission)];
  const isVoid = commission.status === "void";
  // Signals without a partner are kept even if the commission is void, so that it is held if a partner gets it later.
  const stays = carried.filter(({ partnerId }) => !isVoid || partnerId === null);
  writes.push(...stays.map((signal) => insertSignal({ ...signal, commissionId: commission.id })));
  if (isCredit(credit) && !isVoid) {
    const { occurredAt, day } = sale;
    const { partnerId } = credit;
    const earned = { kind: "earned", amountCents: commission.initialCents, partnerId, occurredAt, day } as const;
    writes.push(insertEntry(ledgerEntry(commission, earned, context)));
    writes.push(...signalWrites(commission, signals));
  }
  const policyScope = credited.policies.versions.find(({ id }) => id === commission.policyId)?.scope ?? null;
  const recorded = {
    sale,
    commission: { ...commission, amountCents: commission.initialCents },
    policyScope,
    heldBy: null,
  };
  return {
    recorded,
    answer: saleAnswer(recorded),
    writes,
    holdUntil: awaitedBy(commission),
  };
}
