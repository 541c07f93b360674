import { hasManyAddresses, marksAfter } from "#domain/address-marks.ts";
import { earliest } from "#domain/calendar.ts";
import { reviewEndOf } from "#domain/signals.ts";
import type { CustomerRow } from "#store/customers.ts";
import { insertLead, type LeadRow } from "#store/leads.ts";
import { raiseManySources, raiseSelfReferral } from "#store/signals.ts";
import type { Write } from "#store/statement.ts";
import { emailColumns, unattributed } from "../attribution/customer.ts";
import { frozenLead, invalidIds } from "../attribution/judged-clicks.ts";
import {
  leadColumns,
  type ResolvedCustomer,
  raisedByKey,
  resolveCustomer,
  writesForCustomer,
} from "../attribution/resolve-customer.ts";
import { resolveEarlierSales } from "../attribution/resolve-earlier-sales.ts";
import { historyColumns } from "../attribution/sales-history.ts";
import type { Deciding, Decision, VerifiedClick } from "../operation.ts";
import {
  type AttributedSale,
  attributedOutcome,
  bookOf,
  type FoundLead,
  type LeadAnswer,
  type LeadCall,
  leadRow,
  type MoreOfLead,
  planLead,
  unattributedOutcome,
} from "./lead.ts";

/** Decides a lead sent with a program key. It comes from a backend, so it may also reattribute a known customer. */
export function decideKeyedLead(
  call: LeadCall,
  clicks: readonly VerifiedClick[],
  found: FoundLead,
  deciding: Deciding,
): Decision<LeadAnswer, MoreOfLead> {
  const { customerKey, sentClickId, occurredAt, operationId } = call;
  const { program, at } = deciding;
  const invalidClickIds = invalidIds(call, clicks);
  const { referrers } = found;
  const claim = {
    book: bookOf(call),
    customerKey,
    clicks,
    invalidClickIds,
    sentClickId,
    occurredAt,
    isSale: false,
    referrers: referrers?.of,
  };
  const resolved = resolveCustomer(claim, found, deciding);
  if (resolved.kind !== "resolved") return resolved;
  const earlier = resolveEarlierSales(resolved, found, deciding);
  if (earlier !== undefined && "kind" in earlier) return earlier;

  const recorded = found.leads.find(({ customerId }) => customerId === resolved.known?.id);
  const customer = {
    ...resolved.customer,
    ...addressAfter(call, resolved.customer, deciding),
    ...(earlier && historyColumns(earlier.history)),
  };
  const told = customer.source === "coupon" ? withoutPartner(customer, resolved) : customer;
  const reason = told.partnerId === null ? resolved.noCredit.reason : undefined;
  const explanation = frozenLead({ judged: resolved.judged, reason, customer: told }, program, at);
  const lead = recorded ?? leadRow(call, { ...leadColumns(told, resolved.partner), explanation }, deciding);
  const raised = [...raisedByAddress(resolved.known, customer, deciding), ...raisedByKey(resolved, customer, at)];
  const writes = [
    ...writesForCustomer(resolved, customer, found, { clicks, operationId, program, at }),
    ...(recorded === undefined ? [insertLead(lead)] : []),
    ...(earlier?.writes ?? []),
    ...raised,
  ];
  // A caller that didn't receive the first reply gets the same sales again.
  const before = resolved.isReattributed ? [] : attributedBefore(found, customer.id);
  const attributedSales = earlier?.sales.length ? earlier.sales : before;
  const repeat = repeatOf(call, recorded, resolved);
  const outcome =
    told.partnerId === null || resolved.partner === undefined
      ? unattributedOutcome(resolved.noCredit, repeat)
      : attributedOutcome(resolved.partner.code, repeat, attributedSales);
  const reviewedUntil = raised.length === 0 ? null : reviewEndOf(program, at);
  const holdUntil = earliest(earlier?.holdUntil, reviewedUntil ?? undefined);
  return { ...planLead(program.id, lead.id, outcome, writes), holdUntil };
}

/** A coupon belongs to a sale, so its partner isn't credited with the lead. */
const withoutPartner = (customer: CustomerRow, { noCredit }: ResolvedCustomer): CustomerRow =>
  unattributed({ ...customer, partnerId: null }, noCredit);

function addressAfter({ email }: LeadCall, before: CustomerRow, { program, context }: Deciding) {
  if (email === null) return {};
  const told = emailColumns(email, program.id, context.hashSecret);
  return { ...told, addressMarks: marksAfter(before, told.emailHash) };
}

/** Raises signals if the new address is the partner's, or if the customer has now used too many addresses. */
function raisedByAddress(
  known: CustomerRow | undefined,
  { id: customerId, emailHash, similarHash, addressMarks }: CustomerRow,
  { at }: Deciding,
): readonly Write[] {
  if (emailHash === null || known === undefined) return [];
  if (known.emailHash === emailHash && known.similarHash === similarHash) return [];
  const isFirstOfTooMany = hasManyAddresses(addressMarks) && !hasManyAddresses(known.addressMarks);
  return [
    ...raiseSelfReferral({ customerId, emailHash, similarHash, at }),
    ...(isFirstOfTooMany ? raiseManySources({ customerId, at }) : []),
  ];
}

const attributedBefore = ({ attributed = [] }: FoundLead, customer: number): readonly AttributedSale[] =>
  attributed.flatMap(({ customerId, ...sale }) => (customerId === customer ? [sale] : []));

/** Undefined for a first call and for its retries, which aren't duplicates. */
function repeatOf(
  call: LeadCall,
  recorded: LeadRow | undefined,
  { isReattributed }: ResolvedCustomer,
): "duplicate" | "moved" | undefined {
  if (recorded === undefined || recorded.operationId === call.operationId) return undefined;
  return isReattributed || recorded.movedOperationId === call.operationId ? "moved" : "duplicate";
}
