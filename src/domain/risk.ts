import type { PartnerId, SaleId } from "./ids.ts";

/** Signals of a suspicious commission. The program sets the effect of each. */
export const signalCodes = ["self_referral", "duplicate_source", "blocked_source", "many_sources"] as const;
export type SignalCode = (typeof signalCodes)[number];

/**
 * Signals that can flag a commission but not hold it, each with the signal whose setting also applies to it: if that
 * setting is `off`, neither signal is raised.
 */
export const flagOf = { self_referral_similar: "self_referral" } as const satisfies Record<string, SignalCode>;
export type FlagCode = keyof typeof flagOf;

/** All signals that can be raised. */
export const raisedCodes = [...signalCodes, "self_referral_similar"] as const satisfies readonly (
  | SignalCode
  | FlagCode
)[];
export type RaisedCode = (typeof raisedCodes)[number];

/** Reasons why a commission is held or flagged. */
export const reviewCodes = ["by_hand", ...raisedCodes] as const;
export type ReviewCode = (typeof reviewCodes)[number];

export const signalSettings = ["off", "flag", "hold"] as const;
export type SignalSetting = (typeof signalSettings)[number];

/** `flag` marks a commission. `hold` also keeps it pending. */
export type SignalEffect = Exclude<SignalSetting, "off">;
export const signalEffects = ["flag", "hold"] as const satisfies readonly SignalEffect[];

/**
 * The reason why a review ended. `person`: a member ended it. `time`: the program's review days are over. `move`: the
 * sale moved to another partner.
 */
export const reviewEnds = ["person", "time", "move"] as const;

export const maxBlockedHosts = 200;
export const reviewDaysRange = { min: 1, max: 90 } as const;

/** Two sales within this time may be duplicates. */
export const duplicateWithinMs = 10 * 60_000;

/** The name of the program's setting for each signal. */
export const settingOf = {
  self_referral: "selfReferral",
  duplicate_source: "duplicateSource",
  blocked_source: "blockedSource",
  many_sources: "manySources",
} as const satisfies Record<SignalCode, string>;

export interface RiskTerms extends Readonly<Record<(typeof settingOf)[SignalCode], SignalSetting>> {
  readonly blockedHosts: readonly string[];
  /** The number of days after which a signal's hold ends automatically. Null if it never does. */
  readonly reviewDays: number | null;
}

/** Facts about the customer and the partner who would earn the commission. */
export interface PartnerRisk {
  readonly isExempt: boolean;
  /**
   * True if the customer is the partner, or has the email address of the partner or of one of the partner's accounts.
   */
  readonly isCustomer: boolean;
  /** True if the customer's email address is similar to that of the partner, or of one of the partner's accounts. */
  readonly isSimilar: boolean;
  /** The referrer of the click that decided the attribution. */
  readonly referrerUrl: string | null;
  /** True if the customer has used more addresses than one person usually has. */
  readonly hasManySources: boolean;
}

/** Another sale with the same amount, by the same customer or one with the same address. */
export interface NearbySale {
  readonly saleId: SaleId;
  readonly transactionId: string;
  readonly occurredAt: number;
}

/**
 * The evidence stored with a signal. It refers to a sale by the service's id, because an id from the caller may
 * identify the customer.
 */
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
  /** The partner in the evidence. The signal ends if the sale moves to another partner. */
  readonly partnerId: PartnerId | null;
}

/** Prefixes of ids that payment processors use for different records of the same payment. */
export const idKinds = ["in_", "pi_", "cs_", "ch_"] as const;

/** The period for which a commission is held (ms). */
export interface Hold {
  readonly heldAt: number;
  /** When the review ends automatically (ms). Null if it never does. */
  readonly reviewUntil: number | null;
}
