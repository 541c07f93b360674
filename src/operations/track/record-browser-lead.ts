import { type Candidate, judgeClick } from "#domain/attribution.ts";
import { saveCustomerClick } from "#store/customer-clicks.ts";
import { insertCustomer } from "#store/customers.ts";
import { insertLead } from "#store/leads.ts";
import { attributionTerms } from "../attribution/attribution-terms.ts";
import {
  attributeBy,
  attributedTo,
  customersWithClicks,
  newCustomer,
  noCreditReason,
} from "../attribution/customer.ts";
import { frozenLead, invalidIds, judgeClicks } from "../attribution/judged-clicks.ts";
import { clickOwner, leadColumns } from "../attribution/resolve-customer.ts";
import { type Deciding, type Decision, retryWith, type VerifiedClick } from "../operation.ts";
import {
  attributedOutcome,
  bookOf,
  emailOf,
  type FoundLead,
  type LeadAnswer,
  type LeadCall,
  leadRow,
  planLead,
  planUnresolvedLead,
} from "./lead.ts";

/**
 * Decides a lead that a browser reported. Anyone can send one, so it can only create a customer, at most one for each
 * click. It doesn't change a known customer. The reply doesn't reveal whether the customer was known, because it
 * depends only on the call's clicks.
 */
export function decideBrowserLead(
  call: LeadCall,
  clicks: readonly VerifiedClick[],
  found: FoundLead,
  deciding: Deciding,
): Decision<LeadAnswer> {
  const { program, context } = deciding;
  const binding = { by: "lead", at: call.occurredAt, firstSaleAt: undefined } as const;
  const attribution = attributeBy(program, clicks, binding);
  const isProvisional = program.leadAuth === "server_required";
  const verdictOn = (click: Candidate) => {
    const verdict = judgeClick(click, attribution, attributionTerms(program), binding);
    return isProvisional && verdict.outcome === "chosen" ? { ...verdict, outcome: "unconfirmed" as const } : verdict;
  };
  const judged = judgeClicks({ clicks, invalidClickIds: invalidIds(call, clicks) }, verdictOn, context.settings);
  if (isProvisional) return planUnresolvedLead(call, found, { cause: "provisional", judged }, deciding);
  if (!attribution.attributed) {
    return planUnresolvedLead(call, found, { cause: noCreditReason(attribution), judged }, deciding);
  }

  const { linkId, clickId, at: clickAt } = attribution.click;
  const link = context.settings.link(linkId);
  if (!link) return retryWith({ needs: [{ kind: "link", linkId }] });
  if (isKnown(call, clicks, attribution.click, found)) {
    return planLead(program.id, leadOfKnown(call, found)?.id, attributedOutcome(link.code), []);
  }

  const fresh = newCustomer(bookOf(call), context.newId("customers"), call.customerKey, call.at);
  const backing = { evidence: "browser", boundAt: call.at, boundBy: "lead", confirmedAt: null } as const;
  const customer = { ...attributedTo(fresh, { attribution, link }, backing, program), ...emailOf(call, deciding) };
  const explanation = frozenLead({ judged, customer }, program, call.at);
  const columns = leadColumns(customer, link);
  const lead = leadRow(call, { ...columns, explanation }, deciding);
  const click = { clickId, linkId, clickAt, evidence: "browser", hasSettledInBrowser: true, shownAt: call.at } as const;
  return planLead(program.id, lead.id, attributedOutcome(link.code), [
    insertCustomer(customer),
    saveCustomerClick({ ...clickOwner(customer), ...click }),
    insertLead(lead),
  ]);
}

/**
 * True if the call's customer is already known. A call with a customer key is compared by that key, because a shared
 * device sends the clicks of several customers. Of its clicks, only the one that decides the attribution is compared.
 */
function isKnown(
  { customerKey: own }: LeadCall,
  clicks: readonly VerifiedClick[],
  { clickId }: Candidate,
  found: FoundLead,
): boolean {
  if (own === null) return customersWithClicks(found, clicks).length > 0;
  if (found.customers.some(({ customerKey }) => customerKey === own)) return true;
  return found.clicks.some((shown) => shown.clickId === clickId && shown.hasSettledInBrowser);
}

/** If the call's customer key is unknown, the customer was found by a click, which several customers may have sent. */
function leadOfKnown({ customerKey: own }: LeadCall, { customers, leads }: FoundLead) {
  const known = own === null ? undefined : customers.find(({ customerKey }) => customerKey === own);
  return known === undefined ? leads[0] : leads.find(({ customerId }) => customerId === known.id);
}
