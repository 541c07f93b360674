import type { Attribution, Binding, Candidate } from "#domain/attribution.ts";
import { clockToleranceMs } from "#domain/calendar.ts";
import type { CustomerRow } from "#store/customers.ts";
import type { Program } from "#store/settings.ts";
import type { VerifiedClick } from "../operation.ts";
import { attributeBy, type CustomerMatches, isUnconfirmed, keyedCandidates } from "./customer.ts";

interface KeyedClaim {
  readonly clicks: readonly VerifiedClick[];
  readonly occurredAt: number;
  readonly isSale: boolean;
}

interface Decided {
  readonly attribution: Attribution;
  readonly binding: Binding;
}

/**
 * Decides the attribution of a call with a program key.
 *
 * If the call sends the click of the browser lead that created the customer, the attribution is decided at the instant
 * when the service received that lead. A trial that ends after the window therefore still confirms the lead's partner.
 * A call about an event before that instant is decided at the event's own instant, or, if no click qualifies then, at
 * the lead's.
 */
export function attributeByKey(
  { clicks, occurredAt, isSale }: KeyedClaim,
  before: CustomerRow,
  matches: CustomerMatches,
  program: Program,
): Decided {
  const candidates = keyedCandidates(before.id, matches, clicks);
  const firstSaleAt = isSale
    ? Math.min(before.firstSaleAt ?? occurredAt, occurredAt)
    : (before.firstSaleAt ?? undefined);
  const ofLead = matches.clicks.find((shown) => shown.customerId === before.id && shown.hasSettledInBrowser);
  const decide = (binding: Binding): Decided => ({ attribution: attributeBy(program, candidates, binding), binding });
  const showsLead = clicks.some(({ clickId }) => clickId === ofLead?.clickId);
  const ofItself = decide({ by: isSale ? "sale" : "lead", at: occurredAt, firstSaleAt });
  if (!showsLead) return ofItself;
  const asLead = decide({ by: "lead", at: before.createdAt, firstSaleAt });
  const inTurn = before.createdAt < occurredAt ? [asLead, ofItself] : [ofItself, asLead];
  return inTurn.find(({ attribution }) => attribution.attributed) ?? ofItself;
}

/**
 * Returns the instant and the event by which this click attributes the customer. If the click already attributes the
 * customer since an earlier instant, that instant and its event stay.
 */
export function boundBefore({ clickId, boundAt, boundBy }: CustomerRow, click: string, { at, by }: Binding) {
  const isBound = clickId === click && boundAt !== null && boundBy !== null && boundAt <= at;
  return isBound ? { boundAt, boundBy } : { boundAt: at, boundBy: by };
}

/**
 * True if the call's click is older than the customer's current click. Such a late report doesn't restore the older
 * click.
 */
export function isOutdated(
  click: Candidate,
  before: CustomerRow,
  program: Program,
  firstSaleAt: number | undefined,
): boolean {
  const { clickAt } = before;
  if (program.attributionModel !== "last_click" || isUnconfirmed(before) || clickAt === null) return false;
  return click.at < clickAt && clickAt <= (firstSaleAt ?? clickAt) + clockToleranceMs;
}
