import type { UnattributedReason } from "../../domain/attribution.ts";
import { bookKey } from "../../domain/book.ts";
import { clockToleranceMs, dayIn } from "../../domain/calendar.ts";
import type { VoidReason } from "../../domain/commission.ts";
import type { SaleSummary } from "../../domain/refusal.ts";
import { type CommissionRow, insertCommission, insertEntry } from "../../store/commissions.ts";
import { decidingClicks } from "../../store/customer-clicks.ts";
import {
  type CustomerRow,
  customerByKey,
  customerOfSubscription,
  customersByKeyOrClicks,
} from "../../store/customers.ts";
import {
  insertSale,
  type RecordedSale,
  type SaleRow,
  saleByTransaction,
  saleOfSubscription,
} from "../../store/sales.ts";
import type { Program } from "../../store/settings.ts";
import type { Write } from "../../store/statement.ts";
import {
  attributionColumns,
  type Credit,
  commissionTerms,
  entryOf,
  isCredit,
  type NoCredit,
  type Standing,
  standingAfter,
} from "../attribution/commission-for-sale.ts";
import { type CustomerMatches, clicksOfBook, clicksOfLinks, creditOf, isUnconfirmed } from "../attribution/customer.ts";
import { earlierSales, openOf, readWaitingSales } from "../attribution/earlier-sales.ts";
import { standingAhead, standingColumns, standingOf, type Turn } from "../attribution/follow-customer.ts";
import {
  customerLock,
  customerLocks,
  type ResolvedCustomer,
  resolveCustomer,
  resolveEarlierSales,
  transactionLock,
  writesOfCustomer,
} from "../attribution/resolve-customer.ts";
import {
  type Call,
  type Commit,
  type Context,
  type Credential,
  type Decision,
  type Gathered,
  type Operation,
  refuse,
  type SalesAfter,
  type VerifiedClick,
} from "../operation.ts";

export interface SaleCall extends Call {
  readonly kind: "sale";
  readonly isTest: boolean;
  readonly key: Credential;
  readonly transactionId: string;
  /** Smallest unit of the currency. */
  readonly amountCents: number;
  /** Upper case; absent: the program's. */
  readonly currency: string | undefined;
  readonly customerKey: string | undefined;
  /** The click id as sent. */
  readonly clickId: string | undefined;
  /** The click ids sent whose signature is good, of whatever program and book, newest last. */
  readonly clicks: readonly VerifiedClick[];
  /** Whether any click id was sent, good or not. */
  readonly sentClickId: boolean;
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
const goodClicks = (call: SaleCall) => clicksOfBook(call.clicks, bookOf(call));

/** The subscription that names the customer, where nothing else does. */
const namingSubscription = ({ customerKey, clickId, subscriptionId }: SaleCall): string | undefined =>
  customerKey === undefined && clickId === undefined ? subscriptionId : undefined;

function gather(call: SaleCall, { salesOf }: { readonly salesOf?: SalesAfter }) {
  const book = bookOf(call);
  const clicks = goodClicks(call);
  const mentioned = {
    ...book,
    customerKey: call.customerKey ?? null,
    clickIds: JSON.stringify(clicks.map(({ clickId }) => clickId)),
  };
  const subscriptionId = namingSubscription(call);
  return {
    recorded: saleByTransaction({ ...book, transactionId: call.transactionId }),
    customers: clicks.length === 0 ? customerByKey(mentioned) : customersByKeyOrClicks(mentioned),
    clicks:
      clicks.length === 0 ? undefined : decidingClicks({ ...mentioned, occurredAt: call.occurredAt, isSale: true }),
    subscription: subscriptionId === undefined ? undefined : saleOfSubscription({ ...book, subscriptionId }),
    subscriber: subscriptionId === undefined ? undefined : customerOfSubscription({ ...book, subscriptionId }),
    ...readWaitingSales(salesOf),
  };
}
type Found = Gathered<ReturnType<typeof gather>>;

export const recordSale: Operation<SaleCall, ReturnType<typeof gather>, SaleAnswer> = {
  needs: (call) => [
    { kind: "program", programId: call.key.programId },
    ...goodClicks(call).map(({ linkId }) => ({ kind: "link", linkId }) as const),
  ],

  gather,

  // The newest sale of a subscription names the customer of the next.
  locks(call, found) {
    const book = bookOf(call);
    const transaction = transactionLock(book, call.transactionId);
    if (found.recorded !== undefined) {
      const { customerId } = found.recorded.sale;
      return { exclusive: [], shared: customerId === null ? [transaction] : [transaction, customerLock(customerId)] };
    }
    const { exclusive, shared } = customerLocks(book, call, goodClicks(call), found.customers);
    const ofSubscription =
      call.subscriptionId === undefined ? [] : [`${bookKey(book)} subscription ${call.subscriptionId}`];
    const ofSubscriber = found.subscriber === undefined ? [] : [customerLock(found.subscriber.id)];
    const own = [transaction, ...ofSubscription];
    const ofCustomer = [...exclusive, ...ofSubscriber];
    return isOneOfMany(call, found)
      ? { exclusive: own, shared: [...ofCustomer, ...shared] }
      : { exclusive: [...own, ...ofCustomer], shared };
  },

  decide(call, found, context) {
    const program = context.settings.program(call.key.programId);
    if (!program) return refuse({ code: "invalid_key" });
    if (found.recorded !== undefined) return repeated(call, found.recorded, program);
    const isUnknown = namingSubscription(call) !== undefined && found.subscription === undefined;
    if (isUnknown && !call.isTest) return refuse({ code: "unknown_subscription" });
    return decideNew(call, found, program, context);
  },
};

/**
 * Whether a sale leaves its customer as every other sale like it finds them, so that any number of them may be decided
 * at once. That holds while the customer's sales have all followed, in two cases: nobody is credited, and the sale shows
 * no click for it; or the partner is final, has been credited with an earlier sale, and the `one_time` place is taken.
 */
function isOneOfMany(call: SaleCall, { customers, subscriber }: Found): boolean {
  const clicks = goodClicks(call);
  const isShared = clicks.length > 0 && customers.some(({ customerKey }) => customerKey === null);
  const customer = subscriber ?? customers.find(({ customerKey }) => customerKey === call.customerKey);
  if (customer === undefined || customer.customerKey === null || isShared || customer.movedUpTo !== null) return false;
  if (customer.partnerId === null) return clicks.length === 0;
  const { firstSaleAt, firstAttributedSaleAt, oneTimeCommissionId } = customer;
  const isFinal = !isUnconfirmed(customer) || clicks.length === 0;
  const isLater = [firstSaleAt, firstAttributedSaleAt].every((at) => at !== null && at <= call.occurredAt);
  return isFinal && isLater && oneTimeCommissionId !== null;
}

function decideNew(call: SaleCall, found: Found, program: Program, context: Context): Decision<SaleAnswer> {
  const people: CustomerMatches = { customers: found.customers, clicks: found.clicks ?? [] };
  const clicks = clicksOfLinks(goodClicks(call), bookOf(call), context);
  if ("kind" in clicks) return clicks;
  if (call.customerKey === undefined && clicks.length === 0 && found.subscriber === undefined) {
    const reason = call.sentClickId ? "invalid_click_id" : "customer_not_found";
    const nothingBefore = { firstAttributedSaleAt: undefined, oneTime: undefined };
    return sell(call, undefined, { reason }, nothingBefore, program, context).commit([]);
  }

  const settled = resolveCustomer(
    {
      book: bookOf(call),
      customer: found.subscriber,
      customerKey: call.customerKey,
      clicks,
      sentClickId: call.sentClickId,
      occurredAt: call.occurredAt,
      at: call.at,
      isSale: true,
    },
    people,
    program,
    context,
  );
  if (settled.kind !== "settled") return settled;
  const credit = creditAtSale(settled, call.occurredAt);
  let sold: ReturnType<typeof sell> | undefined;
  const own: Turn = {
    occurredAt: call.occurredAt,
    decide(standing) {
      sold = sell(call, settled.customer, credit, standing, program, context);
      return sold.standing;
    },
  };
  const earlier = resolveEarlierSales(settled, found, program, context, call.at, own);
  if (earlier !== undefined && "kind" in earlier) return earlier;

  const ahead = earlier?.standing ?? standingBefore(settled, found, program);
  if ("kind" in ahead) return ahead;
  const standing = earlier === undefined ? own.decide(ahead) : ahead;
  if (sold === undefined) throw new Error("a sale has its turn among its customer's");
  const customer: CustomerRow = {
    ...settled.customer,
    ...standingColumns(standing),
    firstSaleAt: Math.min(settled.customer.firstSaleAt ?? call.occurredAt, call.occurredAt),
  };
  const ofCustomer = writesOfCustomer(settled, customer, people, clicks, call.operationId);
  return sold.commit([...ofCustomer, ...(earlier?.writes ?? [])], earlier?.holdUntil);
}

/**
 * Who is credited with a sale. A customer who has bought before by this click stays with its partner, but a sale from
 * before the click never belonged to it.
 */
function creditAtSale({ customer, partner, why }: ResolvedCustomer, occurredAt: number): Credit | NoCredit {
  const { firstSaleAt, firstAttributedSaleAt, clickAt } = customer;
  if (partner === undefined) return why;
  const isLater = firstAttributedSaleAt !== null && clickAt !== null && occurredAt >= clickAt;
  const judgedAt = isLater ? firstAttributedSaleAt : Math.min(firstSaleAt ?? occurredAt, occurredAt);
  return creditOf(customer, partner, judgedAt) ?? why;
}

/** What the customer's earlier sales mean for this one; those that have yet to follow, as if they had. */
function standingBefore(
  { customer, known }: ResolvedCustomer,
  found: Found,
  program: Program,
): Standing | Decision<never> {
  const standing = standingOf(customer);
  const move = known?.movedUpTo;
  if (!move || !known.isOneTimeWaiting || standing.oneTime !== undefined) return standing;
  const { afterOccurredAt, afterSaleId } = move;
  const behind = earlierSales(found, { customerId: known.id, afterOccurredAt, afterSaleId });
  if ("kind" in behind) return behind;
  return standingAhead(customer, known.partnerCode, move, [...openOf(behind.step), ...behind.waiting], program);
}

const earliest = (...instants: readonly (number | undefined)[]): number | undefined => {
  const known = instants.filter((instant) => instant !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
};

/** The sale, its commission, and what is earned; with the customer's standing after it. */
function sell(
  call: SaleCall,
  customer: CustomerRow | undefined,
  credit: Credit | NoCredit,
  before: Standing,
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
  const commission: CommissionRow = {
    ...book,
    ...commissionTerms(sale, credit, program, before, call.at),
    id: context.newId("commissions"),
    saleId: sale.id,
    amountCents: 0,
    createdAt: call.at,
  };
  const writes: Write[] = [insertSale(sale), insertCommission(commission)];
  if (isCredit(credit) && commission.status !== "void") {
    const { occurredAt, day } = sale;
    const earned = { kind: "earned", amountCents: commission.initialCents, occurredAt, day } as const;
    writes.push(insertEntry(entryOf(book, commission, credit.partnerId, earned, context)));
  }
  const recorded = { sale, commission: { ...commission, amountCents: commission.initialCents } };
  const holdUntil = commission.status === "pending" ? (commission.holdUntil ?? undefined) : undefined;
  return {
    standing: isCredit(credit) ? standingAfter(before, sale, commission) : before,
    /** With what is written of its customer before it. */
    commit: (ofCustomer: readonly Write[], nextHold?: number): Commit<SaleAnswer> => ({
      kind: "commit",
      programId: program.id,
      answer: answerOf(recorded),
      writes: [...ofCustomer, ...writes],
      holdUntil: earliest(holdUntil, nextHold),
    }),
  };
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

function differencesFrom(sale: RecordedSale["sale"], call: SaleCall, program: Program): readonly string[] {
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
const isSameInstant = ({ occurredAt, createdAt }: RecordedSale["sale"], call: SaleCall): boolean =>
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
