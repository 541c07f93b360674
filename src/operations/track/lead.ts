import type { JudgedClick, UnattributedReason } from "#domain/attribution.ts";
import type { Book } from "#domain/book.ts";
import { dayIn } from "#domain/calendar.ts";
import type { CommissionId, LeadId, ProgramId, SaleId } from "#domain/ids.ts";
import { unresolvedKey } from "#domain/unresolved-key.ts";
import { decidingClicks } from "#store/customer-clicks.ts";
import { customersByKeyOrClicks } from "#store/customers.ts";
import { insertLead, type LeadRow, leadsByKeyOrClicks, salesAttributedByLead, unresolvedLead } from "#store/leads.ts";
import { referrersOfClicks } from "#store/referrers.ts";
import type { Write } from "#store/statement.ts";
import type { NoCredit } from "../attribution/commission-for-sale.ts";
import { clicksInBook, emailColumns } from "../attribution/customer.ts";
import { type MoreSales, readWaitingSales } from "../attribution/earlier-sales.ts";
import { frozenLead } from "../attribution/judged-clicks.ts";
import { type MorePolicies, readPoliciesThen } from "../attribution/policies.ts";
import type { leadColumns } from "../attribution/resolve-customer.ts";
import type { Call, Commit, Credential, Deciding, Gathered, MaskedEmail, VerifiedClick } from "../operation.ts";

export interface LeadCall extends Call {
  readonly kind: "lead";
  readonly isTest: boolean;
  readonly key: Credential | undefined;
  readonly programId: ProgramId | null;
  /** Ids with a valid signature, from any program, live or test. The newest is last. */
  readonly clicks: readonly VerifiedClick[];
  /** Ids that were sent without a valid signature. None by default. */
  readonly invalidClickIds?: readonly string[];
  readonly sentClickId: boolean;
  readonly customerKey: string | null;
  readonly email: MaskedEmail | null;
  readonly pageUrl: string | null;
  readonly eventName: string | null;
  readonly occurredAt: number;
}

export interface AttributedSale {
  readonly saleId: SaleId;
  readonly commissionId: CommissionId;
}

type LeadOutcome =
  | { readonly status: "provisional" }
  | {
      readonly status: "attributed";
      readonly partnerCode: string;
      readonly repeat: "duplicate" | "moved" | undefined;
      readonly attributedSales: readonly AttributedSale[];
    }
  | {
      readonly status: "unattributed";
      readonly reason: UnattributedReason;
      readonly clickAgeDays: number | undefined;
      readonly windowDays: number | undefined;
      readonly repeat: "duplicate" | undefined;
    };

export type LeadAnswer = {
  readonly programId: ProgramId;
  /** The stored lead's id (`lead_id`). In live mode, the reply to a browser doesn't include it. */
  readonly leadId: LeadId | undefined;
} & LeadOutcome;

export const programOf = ({ key, programId, clicks, isTest }: LeadCall): number | undefined =>
  key?.programId ?? programId ?? clicks.findLast((click) => click.isTest === isTest)?.programId;

export const bookOf = (call: LeadCall): Book => ({ programId: programOf(call) ?? 0, isTest: call.isTest });

export const validClicks = (call: LeadCall) => clicksInBook(call.clicks, bookOf(call));

/**
 * The key by which an unresolved lead (one without a customer) is deduplicated: the customer key or the newest click.
 * In test mode, a call with neither is always a separate lead.
 */
function unresolvedKeyOf(call: LeadCall): string {
  if (call.customerKey !== null) return unresolvedKey("customer", call.customerKey);
  const newest = validClicks(call).at(-1);
  return newest === undefined ? unresolvedKey("call", call.operationId) : unresolvedKey("click", newest.clickId);
}

/**
 * True if the lead may have no customer. A lead with a program key and either a customer key or a valid click always
 * has a customer. The exception is a test lead without a customer key, whose click may have no link.
 */
const mayStayUnresolved = (call: LeadCall): boolean =>
  call.key === undefined || (call.customerKey === null && (call.isTest || validClicks(call).length === 0));

export type MoreOfLead = MoreSales & MorePolicies;

export function gatherLead(call: LeadCall, { salesOf, policiesThen }: Partial<MoreOfLead>) {
  const book = bookOf(call);
  const mentioned = {
    ...book,
    customerKey: call.customerKey,
    clickIds: JSON.stringify(validClicks(call).map(({ clickId }) => clickId)),
  };
  return {
    customers: customersByKeyOrClicks(mentioned),
    clicks: decidingClicks({ ...mentioned, occurredAt: call.occurredAt, isSale: false }),
    leads: leadsByKeyOrClicks(mentioned),
    unresolved: mayStayUnresolved(call) ? unresolvedLead({ ...book, unresolvedKey: unresolvedKeyOf(call) }) : undefined,
    attributed: call.key === undefined ? undefined : salesAttributedByLead({ ...mentioned, at: call.at }),
    referrers: salesOf && referrersOfClicks({ clickIds: mentioned.clickIds }),
    ...(salesOf && readWaitingSales(salesOf)),
    ...(policiesThen && readPoliciesThen(book.programId, policiesThen)),
  };
}
export type FoundLead = Gathered<ReturnType<typeof gatherLead>>;

export const planLead = (
  programId: ProgramId,
  leadId: LeadId | undefined,
  outcome: LeadOutcome,
  writes: readonly Write[],
): Commit<LeadAnswer> => ({ kind: "commit", programId, answer: { programId, leadId, ...outcome }, writes });

export const attributedOutcome = (
  partnerCode: string,
  repeat?: "duplicate" | "moved",
  attributedSales: readonly AttributedSale[] = [],
): LeadOutcome => ({ status: "attributed", partnerCode, repeat, attributedSales });

export const unattributedOutcome = (
  { reason, clickAgeDays, windowDays }: NoCredit,
  repeat?: "duplicate" | "moved",
): LeadOutcome => ({
  status: "unattributed",
  reason,
  clickAgeDays,
  windowDays,
  repeat: repeat === undefined ? undefined : "duplicate",
});

export interface UnresolvedCause {
  readonly cause: "provisional" | NoCredit;
  readonly judged: readonly JudgedClick[];
}

export function planUnresolvedLead(
  call: LeadCall,
  { unresolved }: FoundLead,
  { cause, judged }: UnresolvedCause,
  deciding: Deciding,
): Commit<LeadAnswer> {
  const isProvisional = cause === "provisional";
  const { reason = null, clickAgeDays = null, windowDays = null } = isProvisional ? {} : cause;
  const attribution = {
    customerId: null,
    customerKey: call.customerKey,
    evidence: call.key === undefined ? "browser" : "key",
    partnerId: null,
    partnerCode: null,
    clickId: validClicks(call).at(-1)?.clickId ?? null,
    reason,
    clickAgeDays,
    windowDays,
  } as const;
  const explanation = frozenLead({ judged, reason: reason ?? undefined }, deciding.program, deciding.at);
  const lead = leadRow(call, { ...attribution, explanation }, deciding);
  return planLead(
    deciding.program.id,
    unresolved?.id ?? lead.id,
    isProvisional ? { status: "provisional" } : unattributedOutcome(cause),
    unresolved === undefined ? [insertLead({ ...lead, isProvisional })] : [],
  );
}

type LeadColumns = ReturnType<typeof leadColumns> & Pick<LeadRow, "explanation">;

export const leadRow = (
  call: LeadCall,
  attribution: LeadColumns | (Omit<LeadColumns, "customerId"> & { readonly customerId: null }),
  { program, context }: Deciding,
): LeadRow => ({
  ...bookOf(call),
  ...attribution,
  id: context.newId("leads"),
  operationId: call.operationId,
  movedOperationId: null,
  unresolvedKey: attribution.customerId === null ? unresolvedKeyOf(call) : null,
  isProvisional: false,
  pageUrl: call.pageUrl,
  eventName: call.eventName,
  occurredAt: call.occurredAt,
  createdAt: call.at,
  day: dayIn(program.timezone, call.occurredAt),
});

export const emailOf = (call: LeadCall, { program, context }: Deciding) =>
  call.email === null ? {} : emailColumns(call.email, program.id, context.hashSecret);
