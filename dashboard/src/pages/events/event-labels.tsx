import type { JSX } from "preact";
import type { EventKind, TrackedEvent } from "../../api/types.ts";
import type { Tone } from "../../components/badge.tsx";
import { Money } from "../../components/numbers.tsx";
import { correctedLabel, reasonLabels } from "../../outcome-labels.ts";

const kindLabels: Readonly<Record<EventKind, string>> = {
  click: "Click",
  lead: "Lead",
  sale: "Sale",
  refund: "Refund",
};

/** The type of an event. A correction removes the amount of the sale that it replaces, as a refund does. */
export const typeOf = (event: TrackedEvent): string =>
  event.event_type === "refund" && event.correction ? "Correction" : kindLabels[event.event_type];

export const kindTones: Readonly<Record<EventKind, Tone>> = {
  click: "plain",
  lead: "accent",
  sale: "good",
  refund: "warn",
};

/** True for a negative refund. It cancels an earlier refund that failed, or whose dispute was won. */
const isCanceledRefund = (event: TrackedEvent): boolean => event.event_type === "refund" && event.refunded_cents < 0;

export function subjectOf(event: TrackedEvent): string {
  switch (event.event_type) {
    case "click":
      return event.page_url?.replace(/^https?:\/\//, "") ?? "Unknown page";
    case "lead":
      return event.customer_key ?? "Anonymous customer";
    default:
      return event.transaction_id;
  }
}

type Of<Kind extends EventKind> = Extract<TrackedEvent, { event_type: Kind }>;

export function outcomeOf(event: TrackedEvent): string {
  switch (event.event_type) {
    case "click":
      return event.is_bot ? "Bot (not counted)" : [event.country, event.device_type].filter(Boolean).join(", ");
    case "lead":
      return leadOutcome(event);
    case "sale":
      return saleOutcome(event);
    case "refund":
      return refundOutcome(event);
  }
}

function leadOutcome({ provisional, partnerCode }: Of<"lead">): string {
  if (provisional) return "Provisional";
  return partnerCode === null ? "Not attributed" : "Attributed";
}

function saleOutcome({ reason, attributed, corrected, correction }: Of<"sale">): string {
  if (corrected) return correctedLabel;
  if (correction && attributed) return "Attributed (correction)";
  if (reason !== null) return reasonLabels[reason] ?? reason;
  return attributed ? "Attributed" : "Organic";
}

function refundOutcome(event: Of<"refund">): string {
  if (isCanceledRefund(event)) return "Refund canceled";
  if (event.correction) return correctedLabel;
  return event.refunded_cents === 0 ? "No change" : (event.reason ?? "");
}

export const Amount = ({ event }: { readonly event: TrackedEvent }): JSX.Element | null => {
  if (event.event_type === "sale") return <Money amountCents={event.amount_cents} currency={event.currency} />;
  if (event.event_type === "refund") return <Money amountCents={0 - event.refunded_cents} currency={event.currency} />;
  return null;
};
