import type { Candidate, UnattributedReason } from "../../domain/attribution.ts";
import type { Book } from "../../domain/book.ts";
import { dayIn } from "../../domain/calendar.ts";
import { decidingClicks, saveCustomerClick } from "../../store/customer-clicks.ts";
import { customersByKeyOrClicks, insertCustomer } from "../../store/customers.ts";
import {
  insertLead,
  type LeadRow,
  leadsByKeyOrClicks,
  salesAttributedByLead,
  unresolvedLead,
} from "../../store/leads.ts";
import type { Program } from "../../store/settings.ts";
import type { Write } from "../../store/statement.ts";
import type { NoCredit } from "../attribution/commission-for-sale.ts";
import {
  attributeBy,
  type CustomerMatches,
  clicksOfBook,
  clicksOfLinks,
  creditedTo,
  emailColumns,
  holdersOf,
  isOfBook,
  newCustomer,
  noCreditReason,
} from "../attribution/customer.ts";
import { readWaitingSales } from "../attribution/earlier-sales.ts";
import { standingColumns } from "../attribution/follow-customer.ts";
import {
  clickOwner,
  customerLocks,
  leadColumns,
  type ResolvedCustomer,
  resolveCustomer,
  resolveEarlierSales,
  writesOfCustomer,
} from "../attribution/resolve-customer.ts";
import {
  type Call,
  type Commit,
  type Context,
  type Credential,
  type Decision,
  type Gathered,
  type MaskedEmail,
  type Operation,
  refuse,
  retryWith,
  type SalesAfter,
  type VerifiedClick,
} from "../operation.ts";

export interface LeadCall extends Call {
  readonly kind: "lead";
  readonly isTest: boolean;
  /** Present in server mode, absent in browser mode. */
  readonly key: Credential | undefined;
  /** The program that the caller named. */
  readonly programId: number | undefined;
  /** The click ids sent whose signature is good, of whatever program and book, newest last. */
  readonly clicks: readonly VerifiedClick[];
  /** Whether any click id was sent, good or not. */
  readonly sentClickId: boolean;
  readonly customerKey: string | undefined;
  readonly email: MaskedEmail | undefined;
  readonly pageUrl: string | undefined;
  readonly eventName: string | undefined;
  /** When it happened, in milliseconds; never after `at`. */
  readonly occurredAt: number;
}

export type LeadAnswer = {
  readonly programId: number;
  /** Integer id of the stored lead (`lead_id`); a browser's answer does not show it in live mode. */
  readonly leadId: number | undefined;
} & (
  | { readonly status: "provisional" }
  | {
      readonly status: "attributed";
      readonly partnerCode: string;
      readonly repeat: "duplicate" | "moved" | undefined;
      /** Earlier sales that this lead attributed. */
      readonly attributedSales: readonly { readonly saleId: number; readonly commissionId: number }[];
    }
  | {
      readonly status: "unattributed";
      readonly reason: UnattributedReason;
      readonly clickAgeDays: number | undefined;
      readonly windowDays: number | undefined;
      readonly repeat: "duplicate" | undefined;
    }
);

/** The program that a call is about: its key's, the one it names, or its newest click's. */
const programOf = ({ key, programId, clicks, isTest }: LeadCall): number | undefined =>
  key?.programId ?? programId ?? clicks.findLast((click) => click.isTest === isTest)?.programId;

const bookOf = (call: LeadCall): Book => ({ programId: programOf(call) ?? 0, isTest: call.isTest });
const goodClicks = (call: LeadCall) => clicksOfBook(call.clicks, bookOf(call));
/** A test may leave out what would settle it, and a test click may have no link behind it. */
const mayLackClick = (call: LeadCall): boolean =>
  call.isTest && (!call.sentClickId || call.clicks.some((click) => isOfBook(click, bookOf(call))));

/** What tells apart the leads that settle nobody: the customer's key or the newest click; in test mode, the call. */
function unresolvedKey(call: LeadCall): string {
  if (call.customerKey !== undefined) return `customer ${call.customerKey}`;
  const newest = goodClicks(call).at(-1);
  return newest === undefined ? `call ${call.operationId}` : `click ${newest.clickId}`;
}

/** A keyed lead of a customer with a key or a good click settles somebody; a test click may have no link behind it. */
const maySettleNobody = (call: LeadCall): boolean =>
  call.key === undefined || (call.customerKey === undefined && (call.isTest || goodClicks(call).length === 0));

function gather(call: LeadCall, { salesOf }: { readonly salesOf?: SalesAfter }) {
  const book = bookOf(call);
  const mentioned = {
    ...book,
    customerKey: call.customerKey ?? null,
    clickIds: JSON.stringify(goodClicks(call).map(({ clickId }) => clickId)),
  };
  return {
    customers: customersByKeyOrClicks(mentioned),
    clicks: decidingClicks({ ...mentioned, occurredAt: call.occurredAt, isSale: false }),
    leads: leadsByKeyOrClicks(mentioned),
    unsettled: maySettleNobody(call) ? unresolvedLead({ ...book, unresolvedKey: unresolvedKey(call) }) : undefined,
    attributed: call.key === undefined ? undefined : salesAttributedByLead({ ...mentioned, at: call.at }),
    ...readWaitingSales(salesOf),
  };
}
type Found = Gathered<ReturnType<typeof gather>>;

export const recordLead: Operation<LeadCall, ReturnType<typeof gather>, LeadAnswer> = {
  needs(call) {
    const programId = programOf(call);
    const links = goodClicks(call).map(({ linkId }) => ({ kind: "link", linkId }) as const);
    return programId === undefined ? links : [{ kind: "program", programId }, ...links];
  },

  gather,

  locks: (call, found) => customerLocks(bookOf(call), call, goodClicks(call), found.customers),

  decide(call, found, context) {
    const clicks = clicksOfLinks(goodClicks(call), bookOf(call), context);
    if ("kind" in clicks) return clicks;
    const isForeign = (programId: number) => programId !== bookOf(call).programId;
    if (call.programId !== undefined && isForeign(call.programId))
      return refuse({ code: "customer_of_another_program" });
    const lacksClick = clicks.length === 0 && (call.customerKey === undefined || call.key === undefined);
    if (lacksClick && !mayLackClick(call)) {
      const isElsewhere = call.clicks.some(({ programId, isTest }) => isForeign(programId) && isTest === call.isTest);
      return refuse({ code: isElsewhere ? "customer_of_another_program" : "customer_not_found" });
    }
    const program = context.settings.program(bookOf(call).programId);
    if (!program || program.archivedAt !== null)
      return refuse({ code: call.isTest ? "program_not_found" : "customer_not_found" });
    if (lacksClick) return recordUnsettled(call, found, { reason: "no_click" }, program, context);
    return call.key === undefined
      ? decideUnsigned(call, clicks, found, program, context)
      : decideKeyed(call, clicks, found, program, context);
  },
};

/**
 * A lead from a browser, which anyone can send: it settles a customer not yet known, by a click that has settled nobody
 * else this way. It changes nothing of a known one, and is answered alike, from its clicks alone.
 */
function decideUnsigned(
  call: LeadCall,
  clicks: readonly VerifiedClick[],
  found: Found,
  program: Program,
  context: Context,
): Decision<LeadAnswer> {
  if (program.leadAuth === "server_required") return recordUnsettled(call, found, "provisional", program, context);
  const attribution = attributeBy(program, clicks, { by: "lead", at: call.occurredAt, firstSaleAt: undefined });
  if (!attribution.attributed) return recordUnsettled(call, found, noCreditReason(attribution), program, context);

  const { linkId, clickId } = attribution.click;
  const link = context.settings.link(linkId);
  if (!link) return retryWith({ needs: [{ kind: "link", linkId }] });
  if (isKnown(call, clicks, attribution.click, found)) {
    const lead = found.leads[0];
    return settledCommit(program, lead?.id, { attributed: true, partnerCode: link.code }, []);
  }

  const fresh = newCustomer(bookOf(call), context.newId("customers"), call.customerKey, call.at);
  const backing = { evidence: "browser", boundAt: call.at, boundBy: "lead", confirmedAt: null } as const;
  const customer = { ...creditedTo(fresh, attribution, link, program, backing), ...emailOf(call, program, context) };
  const lead = leadRow(call, program, context, leadColumns(customer, { code: link.code, isActive: true }));
  return settledCommit(program, lead.id, { attributed: true, partnerCode: link.code }, [
    insertCustomer(customer),
    saveCustomerClick({
      ...clickOwner(customer),
      clickId,
      linkId,
      clickAt: attribution.click.at,
      evidence: "browser",
      hasSettledInBrowser: true,
    }),
    insertLead(lead),
  ]);
}

/** With a key of theirs, a customer is told by it: of the clicks of a shared device only the one that decides matters. */
function isKnown(
  { customerKey: own }: LeadCall,
  clicks: readonly VerifiedClick[],
  { clickId }: Candidate,
  people: Found,
): boolean {
  if (own === undefined) return holdersOf(people, clicks).length > 0;
  if (people.customers.some(({ customerKey }) => customerKey === own)) return true;
  return people.clicks.some((shown) => shown.clickId === clickId && shown.hasSettledInBrowser);
}

/** A lead from a backend, which speaks for its customers. */
function decideKeyed(
  call: LeadCall,
  clicks: readonly VerifiedClick[],
  found: Found,
  program: Program,
  context: Context,
): Decision<LeadAnswer> {
  const people: CustomerMatches = found;
  const settled = resolveCustomer(
    {
      book: bookOf(call),
      customerKey: call.customerKey,
      clicks,
      sentClickId: call.sentClickId,
      occurredAt: call.occurredAt,
      at: call.at,
      isSale: false,
    },
    people,
    program,
    context,
  );
  if (settled.kind !== "settled") return settled;
  const earlier = resolveEarlierSales(settled, found, program, context, call.at);
  if (earlier !== undefined && "kind" in earlier) return earlier;

  const recorded = found.leads.find(({ customerId }) => customerId === settled.known?.id);
  const customer = {
    ...settled.customer,
    ...emailOf(call, program, context),
    ...(earlier && standingColumns(earlier.standing)),
  };
  const lead = recorded ?? leadRow(call, program, context, leadColumns(customer, settled.partner));
  const writes = [
    ...writesOfCustomer(settled, customer, people, clicks, call.operationId),
    ...(recorded === undefined ? [insertLead(lead)] : []),
    ...(earlier?.writes ?? []),
  ];
  // Whoever lost the first answer finds it here.
  const before = settled.isMoved ? [] : (found.attributed ?? []).flatMap(salesOf(customer.id));
  const attributed = earlier?.sales.length ? earlier.sales : before;
  const outcome =
    customer.partnerId === null || settled.partner === undefined
      ? { attributed: false as const, why: settled.why }
      : { attributed: true as const, partnerCode: settled.partner.code };
  return {
    ...settledCommit(program, lead.id, outcome, writes, repeatOf(call, recorded, settled), attributed),
    holdUntil: earlier?.holdUntil,
  };
}

const salesOf =
  (customer: number) =>
  ({ customerId, ...sale }: NonNullable<Found["attributed"]>[number]) =>
    customerId === customer ? [sale] : [];

/** Whether the customer's lead was recorded by an earlier call, and not by this one whose answer was lost. */
function repeatOf(
  call: LeadCall,
  recorded: LeadRow | undefined,
  { isMoved }: ResolvedCustomer,
): "duplicate" | "moved" | undefined {
  if (recorded === undefined || recorded.operationId === call.operationId) return undefined;
  return isMoved || recorded.movedOperationId === call.operationId ? "moved" : "duplicate";
}

const emailOf = (call: LeadCall, program: Program, { hashSecret }: Context) =>
  call.email === undefined ? {} : emailColumns(call.email, program.id, hashSecret);

type Outcome =
  | { readonly attributed: true; readonly partnerCode: string }
  | { readonly attributed: false; readonly why: NoCredit };

function settledCommit(
  program: Program,
  leadId: number | undefined,
  outcome: Outcome,
  writes: readonly Write[],
  repeat?: "duplicate" | "moved",
  attributedSales: readonly { readonly saleId: number; readonly commissionId: number }[] = [],
): Commit<LeadAnswer> {
  const head = { programId: program.id, leadId };
  const answer: LeadAnswer = outcome.attributed
    ? { ...head, status: "attributed", partnerCode: outcome.partnerCode, repeat, attributedSales }
    : {
        ...head,
        status: "unattributed",
        reason: outcome.why.reason,
        clickAgeDays: outcome.why.clickAgeDays,
        windowDays: outcome.why.windowDays,
        repeat: repeat === undefined ? undefined : "duplicate",
      };
  return { kind: "commit", programId: program.id, answer, writes };
}

/** A lead that is kept, once, and settles nobody. */
function recordUnsettled(
  call: LeadCall,
  { unsettled }: Found,
  why: "provisional" | NoCredit,
  program: Program,
  context: Context,
): Commit<LeadAnswer> {
  const isProvisional = why === "provisional";
  const lead = leadRow(call, program, context, {
    customerId: null,
    customerKey: call.customerKey ?? null,
    evidence: call.key === undefined ? "browser" : "key",
    partnerId: null,
    partnerCode: null,
    clickId: goodClicks(call).at(-1)?.clickId ?? null,
    reason: isProvisional ? null : why.reason,
    clickAgeDays: isProvisional ? null : (why.clickAgeDays ?? null),
    windowDays: isProvisional ? null : (why.windowDays ?? null),
  });
  const leadId = unsettled?.id ?? lead.id;
  const writes = unsettled === undefined ? [insertLead({ ...lead, isProvisional })] : [];
  if (!isProvisional) return settledCommit(program, leadId, { attributed: false, why }, writes);
  const answer: LeadAnswer = { programId: program.id, leadId, status: "provisional" };
  return { kind: "commit", programId: program.id, answer, writes };
}

const leadRow = (
  call: LeadCall,
  program: Program,
  context: Context,
  attribution:
    | ReturnType<typeof leadColumns>
    | (Omit<ReturnType<typeof leadColumns>, "customerId"> & { customerId: null }),
): LeadRow => ({
  ...bookOf(call),
  ...attribution,
  id: context.newId("leads"),
  operationId: call.operationId,
  movedOperationId: null,
  unresolvedKey: attribution.customerId === null ? unresolvedKey(call) : null,
  isProvisional: false,
  pageUrl: call.pageUrl ?? null,
  eventName: call.eventName ?? null,
  occurredAt: call.occurredAt,
  createdAt: call.at,
  day: dayIn(program.timezone, call.occurredAt),
});
