import { clickToleranceMs as clockToleranceMs, type UnattributedReason } from "../domain/attribution.ts";
import { dayIn } from "../domain/calendar.ts";
import type { VoidReason } from "../domain/commission.ts";
import type { SaleSummary } from "../domain/refusal.ts";
import { type CustomerRow, customerByKey, mentionedClicks, mentionedCustomers } from "../store/customers.ts";
import {
  type CommissionRow,
  confirmCommissions,
  insertCommission,
  insertEntry,
  insertSale,
  type RecordedSale,
  refundsOfCustomer,
  type SaleRow,
  saleByTransaction,
  salesOfCustomer,
} from "../store/sales.ts";
import type { Program } from "../store/settings.ts";
import type { Write } from "../store/statement.ts";
import { attributionColumns, type Credit, commissionTerms, entryOf, isCredit, type NoCredit } from "./credit-sale.ts";
import { clicksOfBook, creditOf, type People } from "./customer.ts";
import {
  type Authority,
  type Call,
  type Context,
  type Decision,
  type Gathered,
  type Operation,
  refuse,
  type VerifiedClick,
} from "./operation.ts";
import {
  customerLocks,
  type Settled,
  settleCustomer,
  settleEarlierSales,
  transactionLock,
  writesOfCustomer,
} from "./settle-customer.ts";

export interface SaleCall extends Call {
  readonly kind: "sale";
  readonly isTest: boolean;
  readonly key: Authority;
  readonly transactionId: string;
  /** Smallest unit of the currency. */
  readonly amountCents: number;
  /** Upper case; absent: the program's. */
  readonly currency: string | undefined;
  readonly customerKey: string | undefined;
  /** The click id as sent. */
  readonly clickId: string | undefined;
  /** The same, where its signature is good. */
  readonly click: VerifiedClick | undefined;
  readonly saleType: "payment" | "subscription";
  readonly isRecurring: boolean;
  readonly subscriptionId: string | undefined;
  readonly subscriptionInterval: "monthly" | "quarterly" | "annual" | undefined;
  readonly productId: string | undefined;
  readonly eventName: string | undefined;
  /** JSON text. */
  readonly lineItems: string | undefined;
  /** When it happened, in milliseconds; never after `at`. */
  readonly occurredAt: number;
  readonly sentOccurredAt: boolean;
}

export interface SaleAnswer extends SaleSummary {
  readonly programId: number;
  /** Why no partner; absent where `attributed`. */
  readonly reason: UnattributedReason | undefined;
  readonly clickAgeDays: number | undefined;
  readonly windowDays: number | undefined;
}

const bookOf = ({ key, isTest }: SaleCall) => ({ programId: key.programId, isTest });
const goodClicks = (call: SaleCall) => clicksOfBook(call.click === undefined ? [] : [call.click], bookOf(call));

function gather(call: SaleCall, { salesOf }: { readonly salesOf?: number }) {
  const book = bookOf(call);
  const clicks = goodClicks(call);
  const mentioned = {
    ...book,
    customerKey: call.customerKey ?? null,
    clickIds: JSON.stringify(clicks.map(({ clickId }) => clickId)),
  };
  return {
    recorded: saleByTransaction({ ...book, transactionId: call.transactionId }),
    customers: clicks.length === 0 ? customerByKey(mentioned) : mentionedCustomers(mentioned),
    clicks: clicks.length === 0 ? undefined : mentionedClicks(mentioned),
    sales: salesOf === undefined ? undefined : salesOfCustomer({ customerId: salesOf }),
    refunds: salesOf === undefined ? undefined : refundsOfCustomer({ customerId: salesOf }),
  };
}
type Found = Gathered<ReturnType<typeof gather>>;

export const recordSale: Operation<SaleCall, ReturnType<typeof gather>, SaleAnswer> = {
  needs: (call) => [
    { kind: "program", programId: call.key.programId },
    ...goodClicks(call).map(({ linkId }) => ({ kind: "link", linkId }) as const),
  ],

  gather,

  locks(call, found) {
    const { exclusive, shared } = customerLocks(bookOf(call), call, goodClicks(call), found.customers);
    return { exclusive: [transactionLock(bookOf(call), call.transactionId), ...exclusive], shared };
  },

  decide(call, found, context) {
    const program = context.settings.program(call.key.programId);
    if (!program) return refuse({ code: "invalid_key" });
    if (found.recorded !== undefined) return repeated(call, found.recorded, program);
    return decideNew(call, found, program, context);
  },
};

function decideNew(call: SaleCall, found: Found, program: Program, context: Context): Decision<SaleAnswer> {
  const people: People = { customers: found.customers, clicks: found.clicks ?? [] };
  const clicks = goodClicks(call);
  if (call.customerKey === undefined && clicks.length === 0) {
    const reason = call.clickId === undefined ? "customer_not_found" : "invalid_click_id";
    return commit(call, undefined, { reason }, undefined, program, context);
  }

  const settled = settleCustomer(
    {
      book: bookOf(call),
      customerKey: call.customerKey,
      clicks,
      sentClickId: call.clickId !== undefined,
      occurredAt: call.occurredAt,
      at: call.at,
      isSale: true,
    },
    people,
    program,
    context,
  );
  if (settled.kind !== "settled") return settled;
  const earlier = settleEarlierSales(settled, found, program, context, call.at, call.occurredAt);
  if ("kind" in earlier) return earlier;

  const credit = creditAtSale(settled, call.occurredAt);
  const firstAttributedSaleAt = earlier.firstAt ?? settled.customer.firstAttributedSaleAt ?? undefined;
  const customer = boughtAt(settled.customer, call.occurredAt, firstAttributedSaleAt, isCredit(credit));
  const sold = commit(call, customer, credit, firstAttributedSaleAt, program, context);
  return {
    ...sold,
    writes: [
      ...writesOfCustomer(settled, customer, people, clicks, call.operationId),
      ...(settled.isConfirmed ? [confirmCommissions({ customerId: customer.id })] : []),
      ...earlier.writes,
      ...sold.writes,
    ],
    holdUntil: earliest(sold.holdUntil, earlier.holdUntil, settled.isConfirmed ? call.at : undefined),
  };
}

/** Whom a sale is owed to. A locked customer's stays so, but a sale from before the click was never owed to it. */
function creditAtSale({ customer, partner, why }: Settled, occurredAt: number): Credit | NoCredit {
  const { firstSaleAt, firstAttributedSaleAt, clickAt } = customer;
  if (partner === undefined) return why;
  const isLater = firstAttributedSaleAt !== null && clickAt !== null && occurredAt >= clickAt;
  const judgedAt = isLater ? firstAttributedSaleAt : Math.min(firstSaleAt ?? occurredAt, occurredAt);
  return creditOf(customer, partner, judgedAt) ?? why;
}

function boughtAt(
  customer: CustomerRow,
  at: number,
  earlierFirst: number | undefined,
  isAttributed: boolean,
): CustomerRow {
  const firstAttributed = isAttributed ? Math.min(earlierFirst ?? at, at) : earlierFirst;
  return {
    ...customer,
    firstSaleAt: Math.min(customer.firstSaleAt ?? at, at),
    firstAttributedSaleAt: firstAttributed ?? null,
  };
}

const earliest = (...instants: readonly (number | undefined)[]): number | undefined => {
  const known = instants.filter((instant) => instant !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
};

/** The sale, its commission, and what is earned. */
function commit(
  call: SaleCall,
  customer: CustomerRow | undefined,
  credit: Credit | NoCredit,
  firstAttributedSaleAt: number | undefined,
  program: Program,
  context: Context,
) {
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
    sentCustomerKey: call.customerKey ?? null,
    sentClickId: call.clickId ?? null,
    saleType: call.saleType,
    isRecurring: call.isRecurring,
    subscriptionId: call.subscriptionId ?? null,
    subscriptionInterval: call.subscriptionInterval ?? null,
    productId: call.productId ?? null,
    eventName: call.eventName ?? null,
    lineItems: call.lineItems ?? null,
    refundedCents: 0,
    occurredAt: call.occurredAt,
    createdAt: call.at,
    day: dayIn(program.timezone, call.occurredAt),
  };
  const terms = commissionTerms(sale, credit, program, firstAttributedSaleAt, call.at);
  const commission: CommissionRow = {
    ...book,
    ...terms,
    id: context.newId("commissions"),
    saleId: sale.id,
    amountCents: 0,
    createdAt: call.at,
  };
  const writes: Write[] = [insertSale(sale), insertCommission(commission)];
  if (isCredit(credit) && commission.status !== "void") {
    const earned = {
      id: context.newId("ledgerEntries"),
      kind: "earned",
      amountCents: commission.initialCents,
      refundId: null,
      occurredAt: call.occurredAt,
      createdAt: call.at,
    } as const;
    writes.push(insertEntry(entryOf(book, commission, credit.partnerId, earned, program.timezone)));
  }
  const recorded = { sale, commission: { ...commission, amountCents: commission.initialCents } };
  return {
    kind: "commit",
    programId: program.id,
    answer: answerOf(recorded),
    writes,
    holdUntil: commission.status === "pending" ? (commission.holdUntil ?? undefined) : undefined,
  } as const;
}

/** The first call's own answer, where its caller lost it; else the sale is one too many. */
function repeated(call: SaleCall, recorded: RecordedSale, program: Program): Decision<SaleAnswer> {
  if (recorded.sale.operationId === call.operationId) {
    return { kind: "commit", programId: program.id, answer: answerOf(recorded), writes: [] };
  }
  return refuse({
    code: "duplicate_transaction",
    sale: answerOf(recorded),
    differences: differencesFrom(recorded.sale, call, program),
  });
}

function differencesFrom(sale: SaleRow, call: SaleCall, program: Program): readonly string[] {
  const pairs: readonly (readonly [string, unknown, unknown])[] = [
    ["amount_cents", sale.amountCents, call.amountCents],
    ["currency", sale.currency, call.currency ?? program.currency],
    ["customer_key", sale.sentCustomerKey, call.customerKey ?? null],
    ["click_id", sale.sentClickId, call.clickId ?? null],
    ["sale_type", sale.saleType, call.saleType],
    ["is_recurring", sale.isRecurring, call.isRecurring],
    ["subscription_id", sale.subscriptionId, call.subscriptionId ?? null],
    ["product_id", sale.productId, call.productId ?? null],
  ];
  const differing = pairs.filter(([, recorded, sent]) => recorded !== sent).map(([field]) => field);
  return isSameInstant(sale, call) ? differing : [...differing, "occurred_at"];
}

/** An instant that was still to come when the sale was recorded was taken as that moment. */
const isSameInstant = ({ occurredAt, createdAt }: SaleRow, call: SaleCall): boolean =>
  !call.sentOccurredAt ||
  call.occurredAt === occurredAt ||
  (occurredAt === createdAt && call.occurredAt > createdAt && call.occurredAt <= createdAt + clockToleranceMs);

function answerOf({ sale, commission }: RecordedSale): SaleAnswer {
  return {
    programId: sale.programId,
    saleId: sale.id,
    commissionId: commission.id,
    attributed: sale.partnerId !== null,
    partnerCode: sale.partnerCode ?? undefined,
    reason: (sale.reason as UnattributedReason | null) ?? undefined,
    clickAgeDays: sale.partnerId === null ? (sale.clickAgeDays ?? undefined) : undefined,
    windowDays: sale.partnerId === null ? (sale.windowDays ?? undefined) : undefined,
    commission: {
      amountCents: commission.amountCents,
      currency: commission.currency,
      status: commission.status,
      holdUntil: commission.holdUntil ?? undefined,
      unconfirmed: commission.isUnconfirmed,
      reason: (commission.reason as VoidReason | null) ?? undefined,
    },
  };
}
