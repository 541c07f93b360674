import { dayIn, earliest } from "#domain/calendar.ts";
import type { PartnerId } from "#domain/ids.ts";
import { type CommissionRow, insertCommission, insertEntry } from "#store/commissions.ts";
import { decidingClicks } from "#store/customer-clicks.ts";
import { type CustomerRow, customerByKey, customerOfSubscription, customersByKeyOrClicks } from "#store/customers.ts";
import { insertSale, type RecordedSale, type SaleRow, saleByTransaction, saleOfSubscription } from "#store/sales.ts";
import type { Write } from "#store/statement.ts";
import {
  attributionColumns,
  type Credit,
  type CreditedSale,
  commissionTerms,
  historyAfter,
  isCredit,
  ledgerEntry,
  type NoCredit,
  type SalesHistory,
} from "../attribution/commission-for-sale.ts";
import { clicksInBook, clicksWithLinks, creditOf, isUnconfirmed } from "../attribution/customer.ts";
import { earlierSales, oneTimeCandidates, readWaitingSales } from "../attribution/earlier-sales.ts";
import {
  type FollowResult,
  frozenAtMove,
  historyColumns,
  historyOf,
  historyWithPending,
} from "../attribution/follow-customer.ts";
import { invalidClicks, invalidIds } from "../attribution/judged-clicks.ts";
import { policiesFor, policiesOfProgram, readPoliciesThen } from "../attribution/policies.ts";
import {
  customerLock,
  customerLocks,
  type ResolvedCustomer,
  resolveCustomer,
  subscriptionLock,
  transactionLock,
  writesForCustomer,
} from "../attribution/resolve-customer.ts";
import { type OwnSale, resolveEarlierSales } from "../attribution/resolve-earlier-sales.ts";
import {
  type Commit,
  type Deciding,
  type Decision,
  type Gathered,
  type Missing,
  type Operation,
  refuse,
  type VerifiedClick,
} from "../operation.ts";
import { decideRepeatedSale, detailsOf, type SaleAnswer, type SaleCall, saleAnswer } from "./sale.ts";

const bookOf = ({ key, isTest }: SaleCall) => ({ programId: key.programId, isTest });
const validClicks = (call: SaleCall) => clicksInBook(call.clicks, bookOf(call));

const identifyingSubscription = ({ customerKey, clickId, subscriptionId }: SaleCall): string | null =>
  customerKey === null && clickId === null ? subscriptionId : null;

function gather(call: SaleCall, { salesOf, policiesThen }: Missing) {
  const book = bookOf(call);
  const clicks = validClicks(call);
  const mentioned = {
    ...book,
    customerKey: call.customerKey,
    clickIds: JSON.stringify(clicks.map(({ clickId }) => clickId)),
  };
  const subscriptionId = identifyingSubscription(call);
  return {
    recorded: saleByTransaction({ ...book, transactionId: call.transactionId }),
    customers: clicks.length === 0 ? customerByKey(mentioned) : customersByKeyOrClicks(mentioned),
    clicks:
      clicks.length === 0 ? undefined : decidingClicks({ ...mentioned, occurredAt: call.occurredAt, isSale: true }),
    subscription: subscriptionId === null ? undefined : saleOfSubscription({ ...book, subscriptionId }),
    subscriber: subscriptionId === null ? undefined : customerOfSubscription({ ...book, subscriptionId }),
    ...readWaitingSales(salesOf),
    ...readPoliciesThen(book.programId, policiesThen),
  };
}
export type FoundForSale = Gathered<ReturnType<typeof gather>>;
type Found = FoundForSale;

export const recordSale: Operation<SaleCall, ReturnType<typeof gather>, SaleAnswer> = {
  kind: "sale",
  lane: "money",
  needs: (call) => [
    { kind: "program", programId: call.key.programId },
    policiesOfProgram(call.key.programId),
    ...validClicks(call).map(({ linkId }) => ({ kind: "link", linkId }) as const),
  ],

  gather,

  locks(call, found) {
    const book = bookOf(call);
    const transaction = transactionLock(book, call.transactionId);
    if (found.recorded !== undefined) {
      const { customerId } = found.recorded.sale;
      return { exclusive: [], shared: customerId === null ? [transaction] : [transaction, customerLock(customerId)] };
    }
    const { exclusive, shared } = customerLocks(book, call, validClicks(call), found.customers);
    const ofSubscription = call.subscriptionId === null ? [] : [subscriptionLock(book, call.subscriptionId)];
    const ofSubscriber = found.subscriber === undefined ? [] : [customerLock(found.subscriber.id)];
    const own = [transaction, ...ofSubscription];
    const ofCustomer = [...exclusive, ...ofSubscriber];
    return isIndependent(call, found)
      ? { exclusive: own, shared: [...ofCustomer, ...shared] }
      : { exclusive: [...own, ...ofCustomer], shared };
  },

  decide(call, found, context) {
    const program = context.settings.program(call.key.programId);
    if (!program) return refuse({ code: "invalid_key" });
    if (found.recorded !== undefined) return decideRepeatedSale(call, found.recorded, program);
    const isUnknown =
      identifyingSubscription(call) !== null && found.subscription === undefined && found.subscriber === undefined;
    if (isUnknown && !call.isTest) return refuse({ code: "unknown_subscription" });
    return decideNewSale(call, found, { program, context, at: call.at });
  },
};

export interface NewSale extends Commit<SaleAnswer> {
  readonly recorded: RecordedSale;
  /** After the sale. Undefined: it has no customer. */
  readonly customer: CustomerRow | undefined;
}

/** `kept`: the partner of the sale that this one corrects, whom no later attribution of the customer concerns. */
export function decideNewSale(
  call: SaleCall,
  found: Found,
  deciding: Deciding,
  kept?: Credit,
): Decision<never> | NewSale {
  const clicks = clicksWithLinks(validClicks(call), bookOf(call), deciding.context);
  if ("kind" in clicks) return clicks;
  const isAnonymous = call.customerKey === null && clicks.length === 0 && found.subscriber === undefined;
  return isAnonymous ? planAnonymousSale(call, deciding) : decideCustomerSale({ call, clicks, kept }, found, deciding);
}

/**
 * True if any number of sales like this one can be decided side by side, because each leaves its customer as it finds
 * it, but for the instant of its first sale. The customer must have a sale and no pending move, and either no partner and
 * the sale shows no click, or a final partner who was credited with an earlier sale, and a `one_time` place that is taken.
 */
function isIndependent(call: SaleCall, { customers, subscriber }: Found): boolean {
  const clicks = validClicks(call);
  const isShared = clicks.length > 0 && customers.some(({ customerKey }) => customerKey === null);
  const customer = subscriber ?? customers.find(({ customerKey }) => customerKey === call.customerKey);
  if (customer === undefined || customer.customerKey === null || isShared || customer.movedUpTo !== null) return false;
  const { firstSaleAt, firstAttributedSaleAt, oneTimeCommissionId } = customer;
  if (firstSaleAt === null) return false;
  if (customer.partnerId === null) return clicks.length === 0;
  const isFinal = !isUnconfirmed(customer) || clicks.length === 0;
  const isLater = [firstSaleAt, firstAttributedSaleAt].every((at) => at !== null && at <= call.occurredAt);
  return isFinal && isLater && oneTimeCommissionId !== null;
}

const noSales: SalesHistory = {
  firstAttributedSaleAt: undefined,
  oneTime: undefined,
  importedFirstSaleAt: undefined,
};

function planAnonymousSale(call: SaleCall, deciding: Deciding): NewSale {
  const reason = call.sentClickId ? "invalid_click_id" : "customer_not_found";
  const judged = call.sentClickId ? invalidClicks(invalidIds(call, [])) : undefined;
  const planned = planSale(call, undefined, { credit: { reason }, history: noSales, judged, policies: [] }, deciding);
  return { ...commitOf(planned, planned.writes, planned.holdUntil), recorded: planned.recorded, customer: undefined };
}

interface CustomerSale {
  readonly call: SaleCall;
  readonly clicks: readonly VerifiedClick[];
  readonly kept: Credit | undefined;
}

function decideCustomerSale(
  { call, clicks, kept }: CustomerSale,
  found: Found,
  deciding: Deciding,
): Decision<never> | NewSale {
  const { customerKey, sentClickId, occurredAt, operationId } = call;
  const matches = { customers: found.customers, clicks: found.clicks ?? [] };
  const customer = found.subscriber;
  const shown = { clicks, invalidClickIds: invalidIds(call, clicks), sentClickId };
  const claim = { book: bookOf(call), customer, customerKey, ...shown, occurredAt, isSale: true };
  const resolved = resolveCustomer(claim, matches, deciding);
  if (resolved.kind !== "resolved") return resolved;
  const credit = kept ?? creditAtSale(resolved, occurredAt);
  const judged = sentClickId ? resolved.judged : undefined;
  let planned: PlannedSale | undefined;
  const own: OwnSale = {
    occurredAt,
    decide(history, policies) {
      const own = kept === undefined ? history : noSales;
      planned = planSale(call, resolved.customer, { credit, history: own, judged, policies }, deciding);
      return kept === undefined ? planned.history : history;
    },
  };
  const partnerId = kept?.partnerId ?? resolved.customer.partnerId;
  const followed =
    resolveEarlierSales(resolved, found, deciding, own) ??
    decideAlone({ ...own, partnerId }, resolved, found, deciding);
  if ("kind" in followed) return followed;
  if (planned === undefined) throw new Error("a sale has its turn among its customer's");
  const after: CustomerRow = {
    ...resolved.customer,
    ...historyColumns(followed.history),
    firstSaleAt: Math.min(resolved.customer.firstSaleAt ?? occurredAt, occurredAt),
  };
  const { program, at } = deciding;
  const ofCustomer = writesForCustomer(resolved, after, matches, { clicks, operationId, program, at });
  // Some of `followed` can't be joined, and what comes after such a statement isn't either.
  const writes = [...ofCustomer, ...planned.writes, ...followed.writes];
  const commit = commitOf(planned, writes, earliest(planned.holdUntil, followed.holdUntil));
  return { ...commit, recorded: planned.recorded, customer: after };
}

/**
 * A customer who has bought by this click before stays with its partner. A sale from before the click never belonged to
 * it, so it is judged at the customer's first sale.
 */
function creditAtSale({ customer, partner, noCredit }: ResolvedCustomer, occurredAt: number): Credit | NoCredit {
  const { firstSaleAt, firstAttributedSaleAt, clickAt } = customer;
  if (partner === undefined) return noCredit;
  const isLater = firstAttributedSaleAt !== null && clickAt !== null && occurredAt >= clickAt;
  const judgedAt = isLater ? firstAttributedSaleAt : Math.min(firstSaleAt ?? occurredAt, occurredAt);
  return creditOf(customer, partner, { firstSaleAt: judgedAt, occurredAt }) ?? noCredit;
}

function decideAlone(
  own: OwnSale & { readonly partnerId: PartnerId | null },
  resolved: ResolvedCustomer,
  found: Found,
  { program, context }: Deciding,
): FollowResult | Decision<never> {
  const { customer, known } = resolved;
  const pending = pendingSales(resolved, found);
  if (pending !== undefined && "kind" in pending) return pending;
  const upTo = pending?.move.policyVersion ?? null;
  const instants = [own.occurredAt, ...(pending?.waiting.map(({ occurredAt }) => occurredAt) ?? [])];
  const policies =
    own.partnerId === null
      ? []
      : policiesFor({ programId: program.id, partnerId: own.partnerId, instants, upTo }, found, context.settings);
  if ("kind" in policies) return policies;
  const before = historyOf(customer);
  const history =
    pending === undefined
      ? before
      : historyWithPending(
          before,
          pending.waiting,
          frozenAtMove(customer, known?.partnerCode ?? "", pending.move, { program, policies }),
        );
  return { writes: [], sales: [], history: own.decide(history, policies), holdUntil: undefined };
}

/** Sales that have yet to follow count as if they had. Undefined if none could be one that a `one_time` policy pays. */
function pendingSales({ customer, known }: ResolvedCustomer, found: Found) {
  const move = known?.movedUpTo;
  if (!move || !known.isOneTimeWaiting || historyOf(customer).oneTime !== undefined) return undefined;
  const { afterOccurredAt, afterSaleId } = move;
  const behind = earlierSales(found, { customerId: known.id, afterOccurredAt, afterSaleId });
  return "kind" in behind ? behind : { move, waiting: [...oneTimeCandidates(behind.step), ...behind.waiting] };
}

interface PlannedSale {
  readonly recorded: RecordedSale;
  readonly answer: SaleAnswer;
  readonly writes: readonly Write[];
  readonly holdUntil: number | undefined;
  readonly history: SalesHistory;
}

const commitOf = (
  { answer }: PlannedSale,
  writes: readonly Write[],
  holdUntil: number | undefined,
): Commit<SaleAnswer> => ({ kind: "commit", programId: answer.programId, answer, writes, holdUntil });

const correctionColumns = ({ corrects }: SaleCall) =>
  corrects === undefined
    ? { correctedSaleId: null, correction: null }
    : { correctedSaleId: corrects.saleId, correction: corrects.number };

function planSale(
  call: SaleCall,
  customer: CustomerRow | undefined,
  credited: Omit<CreditedSale, "sale">,
  deciding: Deciding,
): PlannedSale {
  const { credit, history } = credited;
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
    ...detailsOf(call),
    refundedCents: 0,
    occurredAt: call.occurredAt,
    createdAt: call.at,
    day: dayIn(program.timezone, call.occurredAt),
    ...correctionColumns(call),
  };
  const commission: CommissionRow = {
    ...book,
    ...commissionTerms({ sale, ...credited }, deciding),
    id: context.newId("commissions"),
    saleId: sale.id,
    // The database adds up the entries by a trigger, so the `earned` entry below sets the amount.
    amountCents: 0,
    createdAt: call.at,
    reversedNumber: null,
  };
  const writes: Write[] = [insertSale(sale), insertCommission(commission)];
  if (isCredit(credit) && commission.status !== "void") {
    const { occurredAt, day } = sale;
    const { partnerId } = credit;
    const earned = { kind: "earned", amountCents: commission.initialCents, partnerId, occurredAt, day } as const;
    writes.push(insertEntry(ledgerEntry(commission, earned, context)));
  }
  const policyScope = credited.policies.find(({ id }) => id === commission.policyId)?.scope ?? null;
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
    holdUntil: commission.status === "pending" ? (commission.holdUntil ?? undefined) : undefined,
    history: isCredit(credit) ? historyAfter(history, sale, commission) : history,
  };
}
