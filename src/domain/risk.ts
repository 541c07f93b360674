import { dayMs } from "./calendar.ts";
import type { PartnerId } from "./ids.ts";

/** What makes a commission suspicious. A program decides what comes of each. */
export const signalCodes = ["self_referral", "duplicate_source", "blocked_source"] as const;
export type SignalCode = (typeof signalCodes)[number];

/** Why a commission is held, or flagged. */
export const reviewCodes = ["by_hand", ...signalCodes] as const;
export type ReviewCode = (typeof reviewCodes)[number];

export const signalSettings = ["off", "flag", "hold"] as const;
export type SignalSetting = (typeof signalSettings)[number];

/** A flag marks a commission, and a hold keeps it pending. */
export type SignalEffect = Exclude<SignalSetting, "off">;
export const signalEffects = ["flag", "hold"] as const satisfies readonly SignalEffect[];

/** `time`: after the program's days of review. `move`: the sale went to another partner. */
export const reviewEnds = ["person", "time", "move"] as const;

export const maxBlockedHosts = 200;
export const reviewDaysRange = { min: 1, max: 90 } as const;

/** Sales so close to each other may be one. */
export const duplicateWithinMs = 10 * 60_000;

/** Of a program, for each signal. */
export const settingOf = {
  self_referral: "selfReferral",
  duplicate_source: "duplicateSource",
  blocked_source: "blockedSource",
} as const satisfies Record<SignalCode, string>;

export interface RiskTerms extends Readonly<Record<(typeof settingOf)[SignalCode], SignalSetting>> {
  readonly blockedHosts: readonly string[];
  /** After so many days the hold of a signal ends by itself. Null: never. */
  readonly reviewDays: number | null;
}

/** What is known of the partner whose commission it would be. */
export interface PartnerRisk {
  readonly isExempt: boolean;
  /** The customer has the address of the partner, or of one of their accounts. */
  readonly isCustomer: boolean;
  /** Of the click that the attribution rests on. */
  readonly referrerUrl: string | null;
}

/** Another sale of the customer, or of somebody with the same address, for the same amount. */
export interface NearbySale {
  readonly transactionId: string;
  readonly occurredAt: number;
}

/** What a signal rests on, frozen with it. */
export type SignalEvidence =
  | Readonly<Record<string, never>>
  | NearbySale
  | {
      readonly host: string;
    };

export interface Signal {
  readonly code: SignalCode;
  readonly effect: SignalEffect;
  readonly evidence: SignalEvidence;
  /** Whom it names: it ends once the sale is another partner's. */
  readonly partnerId: PartnerId | null;
}

/** Kinds of ids that processors give to records of one payment. */
export const idKinds = ["in_", "pi_", "cs_", "ch_"] as const;

/** "" of any other. */
export const kindOfId = (transactionId: string): string => idKinds.find((kind) => transactionId.startsWith(kind)) ?? "";

export const hostOf = (url: string): string | undefined => URL.parse(url)?.hostname.replace(/\.$/, "");

/** The host of the URL, if it, or a domain that it belongs to, is blocked. */
export function blockedHostOf(referrerUrl: string | null, blockedHosts: readonly string[]): string | undefined {
  if (referrerUrl === null || blockedHosts.length === 0) return undefined;
  const host = hostOf(referrerUrl);
  return host !== undefined && blockedHosts.some((blocked) => host === blocked || host.endsWith(`.${blocked}`))
    ? host
    : undefined;
}

interface Suspicion {
  readonly partnerId: PartnerId;
  readonly risk: PartnerRisk;
  readonly transactionId: string;
  /** Undefined: there is none, or the sale was judged beside it before. */
  readonly nearby?: NearbySale | undefined;
}

/** The signals that a sale raises, by the program's terms. */
export function signalsOf({ partnerId, risk, transactionId, nearby }: Suspicion, terms: RiskTerms): readonly Signal[] {
  const raised: Signal[] = [];
  const raise = (code: SignalCode, evidence: SignalEvidence, names: PartnerId | null, most: SignalEffect = "hold") => {
    const setting = terms[settingOf[code]];
    if (setting === "off") return;
    const effect = risk.isExempt ? "flag" : most === "flag" ? "flag" : setting;
    raised.push({ code, effect, evidence, partnerId: names });
  };
  if (risk.isCustomer) raise("self_referral", {}, partnerId);
  if (nearby !== undefined) {
    // Two records of one payment have ids of different kinds. Of one kind, they are likelier two purchases.
    const isOtherKind = kindOfId(nearby.transactionId) !== kindOfId(transactionId);
    raise("duplicate_source", nearby, null, isOtherKind ? "hold" : "flag");
  }
  const host = blockedHostOf(risk.referrerUrl, terms.blockedHosts);
  if (host !== undefined) raise("blocked_source", { host }, partnerId);
  return raised;
}

/** When the hold of a signal that is raised at an instant ends by itself (ms). */
export const reviewEndOf = ({ reviewDays }: Pick<RiskTerms, "reviewDays">, raisedAt: number): number | null =>
  reviewDays === null ? null : raisedAt + reviewDays * dayMs;

/** Of a commission that is held. Both in milliseconds. */
export interface Hold {
  readonly heldAt: number;
  /** When it ends by itself. Null: never. */
  readonly reviewUntil: number | null;
}

/** Of several holds at once: from the first one on, until all have ended. */
export function joinHolds(holds: readonly Hold[]): Hold | undefined {
  if (holds.length === 0) return undefined;
  const ends = holds.map(({ reviewUntil }) => reviewUntil);
  return {
    heldAt: Math.min(...holds.map(({ heldAt }) => heldAt)),
    reviewUntil: ends.includes(null) ? null : Math.max(...ends.map((end) => end ?? 0)),
  };
}

/** As it is stored with what it rests on. */
export interface Review {
  readonly code: ReviewCode;
  readonly evidence: Partial<NearbySale & { readonly host: string }>;
  /** Of a hold by hand. Null if it was erased. */
  readonly reason: string | null;
}

export interface ReviewReason {
  readonly code: ReviewCode;
  readonly text: string;
}

/** A sentence for the program's members. `soldAt`: of the sale (ms). */
export function reviewReason({ code, evidence, reason }: Review, soldAt: number): ReviewReason {
  switch (code) {
    case "by_hand":
      return { code, text: reason ?? "A member holds it." };
    case "self_referral":
      return { code, text: "The customer has the email address of the partner, or of one of the partner's accounts." };
    case "duplicate_source": {
      const { transactionId = "", occurredAt = soldAt } = evidence;
      const when = distanceText(occurredAt - soldAt);
      return { code, text: `Sale ${transactionId} of the same customer, for the same amount, was made ${when}.` };
    }
    case "blocked_source":
      return { code, text: `The click came from ${evidence.host ?? "a host"}, which the program blocks.` };
  }
}

function distanceText(ms: number): string {
  const minutes = Math.round(Math.abs(ms) / 60_000);
  if (minutes === 0) return "in the same minute";
  return `${minutes === 1 ? "a minute" : `${minutes} minutes`} ${ms < 0 ? "earlier" : "later"}`;
}
