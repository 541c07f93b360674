import { hostOf } from "./code-owner.ts";
import type { PartnerId, SaleId } from "./ids.ts";

/** What makes a commission suspicious. A program decides what comes of each. */
export const signalCodes = ["self_referral", "duplicate_source", "blocked_source", "many_sources"] as const;
export type SignalCode = (typeof signalCodes)[number];

/** Signals that only flag, as long as the signal that they go with isn't off. */
export const flagOf = { self_referral_similar: "self_referral" } as const satisfies Record<string, SignalCode>;
export type FlagCode = keyof typeof flagOf;

/** All signals. */
export const raisedCodes = [...signalCodes, "self_referral_similar"] as const satisfies readonly (
  | SignalCode
  | FlagCode
)[];
export type RaisedCode = (typeof raisedCodes)[number];

/** Why a commission is held, or flagged. */
export const reviewCodes = ["by_hand", ...raisedCodes] as const;
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
  many_sources: "manySources",
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
  /** Or a similar one. */
  readonly isSimilar: boolean;
  /** Of the click that the attribution rests on. */
  readonly referrerUrl: string | null;
  /** The customer has more addresses than one person has. */
  readonly hasManySources: boolean;
}

/** Another sale of the customer, or of somebody with the same address, for the same amount. */
export interface NearbySale {
  readonly saleId: SaleId;
  readonly transactionId: string;
  readonly occurredAt: number;
}

/** What a signal rests on, frozen with it. It names a sale by no id of a caller's: that may name its customer. */
export type SignalEvidence =
  | Readonly<Record<string, never>>
  | Pick<NearbySale, "saleId" | "occurredAt">
  | {
      readonly host: string;
    };

export interface Signal {
  readonly code: RaisedCode;
  readonly effect: SignalEffect;
  readonly evidence: SignalEvidence;
  /** Whom it names: it ends once the sale is another partner's. */
  readonly partnerId: PartnerId | null;
}

/** Kinds of ids that processors give to records of one payment. */
export const idKinds = ["in_", "pi_", "cs_", "ch_"] as const;

/** The host of the URL, if it, or a domain that it belongs to, is blocked. */
export function blockedHostOf(referrerUrl: string | null, blockedHosts: readonly string[]): string | undefined {
  if (referrerUrl === null || blockedHosts.length === 0) return undefined;
  const host = hostOf(referrerUrl);
  return host !== undefined && blockedHosts.some((blocked) => host === blocked || host.endsWith(`.${blocked}`))
    ? host
    : undefined;
}

/** Of a commission that is held. Both in milliseconds. */
export interface Hold {
  readonly heldAt: number;
  /** When it ends by itself. Null: never. */
  readonly reviewUntil: number | null;
}
