import { type Candidate, type JudgedClick, judgeClick } from "#domain/attribution.ts";
import { type Evidence, evidences } from "#domain/evidence.ts";
import { type ClickOfSale, setClickEvidence } from "#store/customer-clicks.ts";
import { type CustomerRow, type firstSalesWithout, type KnownCustomer, updateCustomer } from "#store/customers.ts";
import { type JudgedByLead, setLeadExplanation, updateLeadOfCustomer } from "#store/leads.ts";
import type { RecordedSale } from "#store/sales.ts";
import type { Program } from "#store/settings.ts";
import type { Write } from "#store/statement.ts";
import { attributionTerms } from "../attribution/attribution-terms.ts";
import {
  attributeBy,
  attributedTo,
  type CustomerPartner,
  noClick,
  noCreditReason,
  unattributed,
} from "../attribution/customer.ts";
import { frozenLead, type LeadDecision } from "../attribution/judged-clicks.ts";
import { leadColumns } from "../attribution/resolve-customer.ts";
import type { Deciding } from "../operation.ts";
import { unbound } from "./rebinding.ts";

type FirstSales = NonNullable<ReturnType<ReturnType<typeof firstSalesWithout>["decode"]>>;

/** True if only the corrected sale's click attributes the customer, and the sale moves to another customer. */
export const losesItsClick = (
  { source, boundBy, partnerId, firstAttributedSaleAt }: CustomerRow,
  { others }: FirstSales,
  sale: RecordedSale["sale"],
): boolean =>
  source === "click" &&
  boundBy === "sale" &&
  partnerId === sale.partnerId &&
  firstAttributedSaleAt === sale.occurredAt &&
  others.firstAttributedSaleAt === null;

interface Losing extends Pick<FirstSales, "others"> {
  readonly customer: KnownCustomer;
  readonly sale: RecordedSale["sale"];
  readonly leadClicks: readonly JudgedByLead[];
}

/**
 * Attributes the customer, and their lead, by the clicks that the lead was sent with. If none qualifies, both become
 * unattributed.
 */
export function writesWithoutClick(
  { customer, others, sale, leadClicks }: Losing,
  deciding: Deciding,
): { readonly customer: CustomerRow; readonly writes: readonly Write[] } {
  const { program, at } = deciding;
  const free = { ...customer, ...unbound, ...noClick, firstSaleAt: others.firstSaleAt };
  const sentBySales = [sale.sentClickId, customer.clickId];
  const shown = leadClicks.flatMap((click) => shownByLead(click, sentBySales));
  const { partner, ...decided } = decidedByLead(free, shown, program);
  return {
    customer: decided.customer,
    writes: [
      updateCustomer(decided.customer),
      updateLeadOfCustomer(leadColumns(decided.customer, partner)),
      setLeadExplanation({ customerId: free.id, explanation: frozenLead(decided, program, at) }),
    ],
  };
}

interface ShownByLead extends JudgedByLead {
  readonly evidence: Evidence;
}

/**
 * Returns the click with the evidence from the lead. A later sale, sent with a program key, may have replaced the
 * evidence of a click that only a browser had reported.
 */
function shownByLead(
  { evidence, ...click }: JudgedByLead,
  sentBySales: readonly (string | null)[],
): readonly ShownByLead[] {
  if (sentBySales.includes(click.clickId) && click.isWithAge) {
    return click.hasSettledInBrowser ? [{ ...click, evidence: "browser" }] : [];
  }
  return evidence === "moved" ? [] : [{ ...click, evidence }];
}

interface Moving {
  readonly customer: Pick<CustomerRow, "id" | "clickId">;
  readonly leadClicks: readonly JudgedByLead[];
  readonly click: ClickOfSale | undefined;
}

/**
 * Updates the evidence of a click that moves with its sale to another customer. Writes nothing if another call of this
 * customer sent the same click.
 */
export function writesOfMovedClick({ customer, leadClicks, click }: Moving): readonly Write[] {
  if (click === undefined || !click.isOnlyHere || customer.clickId === click.clickId) return [];
  if (leadClicks.some(({ clickId, isWithAge }) => clickId === click.clickId && !isWithAge)) return [];
  const evidence = click.hasSettledInBrowser ? "browser" : "moved";
  return [setClickEvidence({ customerId: customer.id, clickId: click.clickId, evidence })];
}

interface Decided extends LeadDecision {
  readonly customer: CustomerRow;
  readonly partner?: Pick<CustomerPartner, "code">;
}

/**
 * A backend's clicks take precedence over a browser's, as in a call with a program key about a customer whom a
 * browser's lead created.
 */
function decidedByLead(free: CustomerRow, shown: readonly ShownByLead[], program: Program): Decided {
  const [keyed = [], browsers = []] = evidences.map((evidence) => shown.filter((click) => click.evidence === evidence));
  const byKey = decidedBy(keyed, free, program);
  return byKey?.partner === undefined ? (decidedBy(browsers, free, program) ?? byKey ?? toNobody(free)) : byKey;
}

const toNobody = (customer: CustomerRow): Decided => ({ customer, reason: "no_click", judged: [] });

function decidedBy(shown: readonly ShownByLead[], free: CustomerRow, program: Program): Decided | undefined {
  const [lead] = shown;
  if (lead === undefined) return undefined;
  const { evidence, occurredAt, createdAt } = lead;
  const isKeyed = evidence === "key";
  const firstSaleAt = isKeyed ? (free.firstSaleAt ?? undefined) : undefined;
  const binding = { by: "lead", at: occurredAt, firstSaleAt } as const;
  const attribution = attributeBy(program, shown.map(asCandidate), binding);
  const judged = shown.map((click): JudgedClick => {
    const { clickId, clickAt: at, partnerCode } = click;
    return {
      ...judgeClick(asCandidate(click), attribution, attributionTerms(program), binding),
      clickId,
      at,
      partnerCode,
    };
  });
  if (!attribution.attributed) {
    return { customer: unattributed(free, noCreditReason(attribution)), reason: attribution.reason, judged };
  }
  const chosen = shown.find(({ clickId }) => clickId === attribution.click.clickId) ?? lead;
  const backing = isKeyed
    ? ({ evidence, boundAt: occurredAt, boundBy: "lead", confirmedAt: createdAt } as const)
    : ({ evidence, boundAt: createdAt, boundBy: "lead", confirmedAt: null } as const);
  const link = { id: chosen.linkId, partnerId: chosen.partnerId };
  const customer = attributedTo(free, { attribution, link }, backing, program);
  return { customer, partner: { code: chosen.partnerCode }, judged: judged.toSorted(chosenFirst) };
}

const asCandidate = ({ clickId, clickAt, linkId }: JudgedByLead): Candidate => ({ clickId, at: clickAt, linkId });

const chosenFirst = (a: JudgedClick, b: JudgedClick): number =>
  Number(b.outcome === "chosen") - Number(a.outcome === "chosen");
