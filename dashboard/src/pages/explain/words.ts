import { correctionNumber } from "#domain/correction.ts";
import type { Explanation, StoryEvent } from "../../api/types.ts";
import type { ExplainQuery } from "../../explain-address.ts";
import { formatMoney, pluralize } from "../../format.ts";
import { formatDayOf } from "../../format-time.ts";
import { nameInText } from "../../named-by-code.ts";
import { reasonLabels, statusLabels } from "../../outcome-labels.ts";

export type Candidate = Explanation["candidates"][number];
export type Coupon = Explanation["coupons"][number];
type Commission = NonNullable<Explanation["commission"]>;
export type Entry = Commission["entries"][number];
type Settings = NonNullable<Explanation["settingsThen"]>;
type EventOf<Type extends StoryEvent["type"]> = Extract<StoryEvent, { type: Type }>;

const lines = (...all: readonly (string | false | null | undefined)[]): string[] =>
  all.flatMap((line) => (line ? [line] : []));

/** The page's title until the explanation is loaded. */
export function titleOfQuery({ transactionId, refundId, ...query }: ExplainQuery): string {
  if (transactionId !== undefined && refundId !== undefined) return `Refund ${refundId} of sale ${transactionId}`;
  if (query.customerKey !== undefined) return `Customer ${query.customerKey}`;
  if (query.clickId !== undefined) return "Click";
  if (query.leadId !== undefined) return `Lead ${query.leadId}`;
  if (query.commissionId !== undefined) return `Commission ${query.commissionId}`;
  return `Sale ${transactionId ?? query.saleId ?? ""}`;
}

export function titleOf({ subject, events }: Explanation): string {
  const sale = events.find((event) => event.type === "sale");
  switch (subject.type) {
    case "sale":
      return `Sale ${sale?.transactionId ?? subject.id}`;
    case "commission":
      return sale === undefined ? `Commission ${subject.id}` : `Commission of sale ${sale.transactionId}`;
    case "refund":
      return sale === undefined ? `Refund ${subject.id}` : `Refund ${subject.id} of sale ${sale.transactionId}`;
    case "customer":
      return `Customer ${subject.id}`;
    case "lead": {
      const lead = events.find((event) => event.type === "lead" && event.id === subject.id);
      return `Lead ${(lead?.type === "lead" && lead.customerKey) || subject.id}`;
    }
    case "click":
      return "Click";
  }
}

export const isSubject = ({ subject }: Explanation, event: StoryEvent): boolean => {
  if (subject.type === "refund") return event.type === "refund" && event.refundId === subject.id;
  if (subject.type === "commission") return event.type === "sale" && event.commissionId === subject.id;
  return event.type === subject.type && event.id === subject.id;
};

const byPartner = (code: string | null): string => (code === null ? "" : ` of partner ${code}`);

type Story = Pick<Explanation, "events" | "correctedBy">;

/**
 * True for the refund that a correction records: a correction refunds what is left of a sale, then records the sale
 * again.
 */
function isOfCorrection(refundId: string | null, { events, correctedBy }: Story): boolean {
  const number = correctionNumber(refundId);
  return (
    number !== undefined &&
    (correctedBy !== null ||
      events.some((event) => event.type === "sale" && event.transactionId.endsWith(`~${number}`)))
  );
}

export function eventTitle(event: StoryEvent, story: Story): string {
  switch (event.type) {
    case "click":
      return `Click${byPartner(event.partnerCode)}`;
    case "lead":
      return "Lead";
    case "sale":
      return `Sale of ${formatMoney(event.amountCents, event.currency)}`;
    case "refund":
      return isOfCorrection(event.refundId, story) ? correctionTitle(event) : refundTitle(event);
  }
}

/** If the sale was fully refunded before, the correction has no amount left to remove. */
const correctionTitle = ({ refundedCents, currency }: EventOf<"refund">): string =>
  refundedCents === 0 ? "Corrected" : `Corrected: ${formatMoney(refundedCents, currency)} no longer counts`;

function refundTitle({ refundedCents, currency }: EventOf<"refund">): string {
  if (refundedCents === 0) return "Refund without effect";
  const money = formatMoney(Math.abs(refundedCents), currency);
  return refundedCents < 0 ? `Refund of ${money} canceled` : `Refund of ${money}`;
}

export function eventLines(event: StoryEvent, story: Story): readonly string[] {
  switch (event.type) {
    case "click":
      return clickLines(event);
    case "lead":
      return leadLines(event);
    case "sale":
      return saleLines(event);
    case "refund":
      return refundLines(event, story);
  }
}

const clickLines = (click: EventOf<"click">): string[] =>
  lines(
    click.pageUrl && `Landed on ${click.pageUrl}`,
    click.codeParam && `Code in the parameter ${click.codeParam}`,
    click.referrerUrl && `Came from ${click.referrerUrl}`,
    lines(click.browser, click.os, click.deviceType, click.country).join(", "),
    click.isBot === true && "Bot or link preview. It isn't counted.",
    click.receivedAt === null && "Not in the database yet. Details appear within a minute.",
  );

const leadLines = (lead: EventOf<"lead">): string[] =>
  lines(
    lead.customerKey && `Customer ${lead.customerKey}`,
    attribution(lead),
    `Reported by ${evidenceText(lead.evidence)}.`,
    lead.eventName && `Event name: ${lead.eventName}`,
    lead.pageUrl && `Page: ${lead.pageUrl}`,
  );

const evidenceText = (evidence: EventOf<"lead">["evidence"]): string =>
  evidence === "browser" ? "the browser" : "your server";

function attribution({ provisional, partnerCode, reason }: EventOf<"lead">): string {
  if (provisional) return "Provisional: this program accepts leads only from your server.";
  if (partnerCode !== null) return `Attributed to partner ${partnerCode}.`;
  return reason === null ? "Not attributed." : `Not attributed: ${reasonLabel(reason)}.`;
}

function reasonLabel(reason: string): string {
  const label = reasonLabels[reason] ?? reason;
  return label.charAt(0).toLowerCase() + label.slice(1);
}

const saleLines = (sale: EventOf<"sale">): string[] =>
  lines(
    `Order ${sale.transactionId}`,
    sale.customerKey && `Customer ${sale.customerKey}`,
    commissionLine(sale),
    sale.isRecurring && "Renewal of a subscription.",
    sale.subscriptionId && `Subscription ${sale.subscriptionId}`,
    sale.productId && `Product ${sale.productId}`,
    sale.eventName && `Event name: ${sale.eventName}`,
  );

function commissionLine({ commissionStatus: status, reason, ...sale }: EventOf<"sale">): string {
  if (status === "void") return reason === null ? "No commission." : `No commission: ${reasonLabel(reason)}.`;
  const money = formatMoney(sale.commissionCents, sale.commissionCurrency);
  const isReversed = sale.commissionCents === 0 && sale.refundedCents > 0 && status !== "rejected";
  const state = isReversed
    ? `reversed${status === "paid" ? " after it was paid" : ""}`
    : statusLabels[status].toLowerCase();
  return `Commission${byPartner(sale.partnerCode)}: ${money}, ${state}.`;
}

const refundLines = (refund: EventOf<"refund">, story: Story): string[] =>
  lines(
    refund.refundId && !isOfCorrection(refund.refundId, story) && `Refund ${refund.refundId}`,
    refund.refundedCents === 0 &&
      "Nothing changed: the amount was already refunded, or the refund was canceled before it arrived.",
    refund.commissionReversedCents !== 0 && reversedLine(refund),
    refund.refundReason && `Reason given: ${refund.refundReason}`,
  );

const reversedLine = ({ commissionReversedCents: cents, commissionCurrency: currency }: EventOf<"refund">): string =>
  cents > 0
    ? `Reduced the commission by ${formatMoney(cents, currency)}.`
    : `Increased the commission by ${formatMoney(-cents, currency)}.`;

const days = (count: number) => pluralize(count, "day");

const outcomes: Readonly<Record<Candidate["outcome"], string>> = {
  chosen: "Chosen",
  older: "Not chosen: the attribution model took a newer click",
  newer: "Not chosen: the attribution model took an older click",
  other_link_paused: "Not chosen: another click won, and this click's link or partner was paused",
  outside_window: "Too old",
  after_the_event: "Too late: it came, or was first sent, after the sign-up or sale that decided",
  unconfirmed: "Not enough: only a browser reported it",
  invalid: "Not valid: forged, altered, or of another program or mode",
};

const dayMs = 86_400_000;

/**
 * Returns the lead, or else the sale, at which the click was considered. The candidate has only the click's age at that
 * time.
 */
function decidedBy({ at, ageDays }: Candidate, events: readonly StoryEvent[]): StoryEvent | undefined {
  if (at === null || ageDays === undefined) return undefined;
  const hasAge = ({ occurredAt }: StoryEvent) =>
    Math.max(0, Math.floor((Date.parse(occurredAt) - Date.parse(at)) / dayMs)) === ageDays;
  const ofType = (type: StoryEvent["type"]) => events.find((event) => event.type === type && hasAge(event));
  return ofType("lead") ?? ofType("sale");
}

export function outcomeText(candidate: Candidate, events: readonly StoryEvent[], timezone: string): string {
  const { outcome, ageDays, windowDays } = candidate;
  if (ageDays === undefined || windowDays === undefined) return `${outcomes[outcome]}.`;
  const age = ageDays === 0 ? "less than a day" : days(ageDays);
  const event = decidedBy(candidate, events);
  const when = event === undefined ? "" : ` at the ${event.type} of ${formatDayOf(event.occurredAt, timezone)}`;
  return `${outcomes[outcome]}. It was ${age} old${when}, and the window was ${days(windowDays)}.`;
}

const couponOutcomes: Readonly<Record<Coupon["outcome"], string>> = {
  chosen: "It named the partner",
  outranked: "The customer already had a partner",
  other_coupon: "An earlier code in the list counted",
  paused: "It, or its partner, was paused",
  not_valid_then: "It wasn't valid at the time of the sale",
  existing_customer: "The customer had bought before",
  unknown: "No coupon has this code",
};

export const couponText = ({ outcome }: Coupon): string => `${couponOutcomes[outcome]}.`;

export const earlierText = (count: number): string =>
  `${count >= 1_000 ? "1,000 or more" : count} other ${count === 1 ? "click was" : "clicks were"} reported before.`;

const kinds: Readonly<Record<Entry["kind"], string>> = {
  earned: "Earned",
  reversed: "Reversed",
  restored: "Restored",
  rejected: "Rejected",
  moved: "Moved",
  adjusted: "Adjusted",
  paid: "Paid out",
  returned: "Returned",
};

export function entryTitle({ kind, standsFor: { type, id } }: Entry, story: Story): string {
  if (type === "refund") {
    const refund = id === null ? "a refund" : `refund ${id}`;
    return `${kinds[kind]} for ${isOfCorrection(id, story) ? "the correction" : refund}`;
  }
  return type === "sale" || type === "move"
    ? `${kinds[kind]} with ${id === null ? "a sale" : `sale ${id}`}`
    : kinds[kind];
}

export const moreEntriesText = (count: number): string =>
  `${count} more ${count === 1 ? "entry" : "entries"}, for refunds in the timeline.`;

/** Says in which payout the entry is. Undefined if it is in none. */
export const entryPayout = ({ payout }: Entry): string | undefined =>
  payout === null
    ? undefined
    : payout.state === "paid"
      ? `paid with payout ${payout.reference} by ${nameInText(payout.by.name ?? "a former member")}`
      : `in payout ${payout.reference}`;

export const entryAuthor = ({ by: { type, name } }: Entry): string =>
  type === "api_key" ? ["API key", name].filter(Boolean).join(" ") : (name ?? "Former member");

type Corrections = Pick<Explanation, "corrects" | "correctedBy">;

/** Words for a chain of corrections: the relation of other sales to `sale`. */
export const correctionsOf = ({ corrects, correctedBy }: Corrections) => [
  ...(correctedBy === null ? [] : [{ sale: correctedBy, text: "This sale was corrected. The sale that counts now:" }]),
  ...(corrects === null ? [] : [{ sale: corrects, text: "This sale corrects an earlier one:" }]),
];

export interface Setting {
  readonly name: string;
  readonly atDecision: string;
  /** The present value; undefined if unchanged. */
  readonly now: string | undefined;
}

const settingNames: Readonly<Record<keyof Settings, string>> = {
  model: "Attribution model",
  windowDays: "Attribution window",
  windowUntil: "Must happen within the window",
  policyVersion: "Commission policy",
  policyGroup: "Policy of group",
  partnerStatus: "Partner's status",
};

const values: Readonly<Record<string, string>> = {
  last_click: "Last click",
  first_click: "First click",
  lead: "The lead",
  first_sale: "The first payment",
  active: "Active",
  paused: "Paused",
};

function settingText(name: keyof Settings, value: Settings[keyof Settings]): string {
  if (value === null) return "None";
  if (typeof value === "object") return value.name;
  if (name === "windowDays") return days(Number(value));
  if (name === "policyVersion") return `Version ${value}`;
  return values[value] ?? String(value);
}

export function settingsOf({ settingsThen, settingsNow }: Explanation): readonly Setting[] {
  if (settingsThen === null) return [];
  return (Object.keys(settingNames) as (keyof Settings)[]).flatMap((name) => {
    const now = settingsNow?.[name];
    const then = settingsThen[name];
    if (then === null && now === undefined) return [];
    const nowText = now === undefined ? undefined : settingText(name, now);
    return [{ name: settingNames[name], atDecision: settingText(name, then), now: nowText }];
  });
}

type Step = NonNullable<Explanation["commission"]>["calculation"][number];

/**
 * The steps of a calculation. The step before a rounding gets no amount, because its `cents` is rounded down; its text
 * has the exact value.
 */
export const stepsOf = (
  calculation: readonly Step[],
): readonly { readonly text: string; readonly cents: number | null; readonly currency: string }[] =>
  calculation.map(({ text, cents, currency }, i) => ({
    text,
    cents: calculation[i + 1]?.step === "rounding" ? null : cents,
    currency,
  }));
