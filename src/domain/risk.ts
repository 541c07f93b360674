import type { PartnerId, SaleId } from "./ids.ts";

/** Signals of a suspicious commission. The program sets the effect of each. */
export const signalCodes = ["self_referral", "duplicate_source", "blocked_source", "many_sources"] as const;
export type SignalCode = (typeof signalCodes)[number];

/** Signals that only flag, unless the signal they accompany is off. */
export const flagOf = { self_referral_similar: "self_referral" } as const satisfies Record<string, SignalCode>;
export type FlagCode = keyof typeof flagOf;

/** All signals. */
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

/** A flag marks a commission, and a hold keeps it pending. */
export type SignalEffect = Exclude<SignalSetting, "off">;
export const signalEffects = ["flag", "hold"] as const satisfies readonly SignalEffect[];

/** `time`: after the program's review days. `move`: the sale moved to another partner. */
export const reviewEnds = ["person", "time", "move"] as const;

export const maxBlockedHosts = 200;
export const reviewDaysRange = { min: 1, max: 90 } as const;

/** Sales closer to each other may be duplicates. */
export const duplicateWithinMs = 10 * 60_000;

/** The program's setting for each signal. */
export const settingOf = {
  self_referral: "selfReferral",
  duplicate_source: "duplicateSource",
  blocked_source: "blockedSource",
  many_sources: "manySources",
} as const satisfies Record<SignalCode, string>;

export interface RiskTerms extends Readonly<Record<(typeof settingOf)[SignalCode], SignalSetting>> {
  readonly blockedHosts: readonly string[];
  /** A signal's hold ends automatically after this many days. Null: never. */
  readonly reviewDays: number | null;
}

/** Facts about the partner who would earn the commission. */
export interface PartnerRisk {
  readonly isExempt: boolean;
  /** The customer has the address of the partner, or of one of their accounts. */
  readonly isCustomer: boolean;
  /** The customer has a similar address. */
  readonly isSimilar: boolean;
  /** Referrer of the deciding click. */
  readonly referrerUrl: string | null;
  /** The customer has more addresses than one person usually has. */
  readonly hasManySources: boolean;
}

/** Another sale of the customer, or of one with the same address, for the same amount. */
export interface NearbySale {
  readonly saleId: SaleId;
  readonly transactionId: string;
  readonly occurredAt: number;
}

/**
 * The evidence of a signal, frozen with it. It doesn't refer to a sale by a caller's id, which may name the customer.
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
  /** The partner in the evidence: the signal ends once the sale is another partner's. */
  readonly partnerId: PartnerId | null;
}

/** Kinds of ids that processors give to records of one payment. */
export const idKinds = ["in_", "pi_", "cs_", "ch_"] as const;

/** A held commission's times, both in milliseconds. */
export interface Hold {
  readonly heldAt: number;
  /** When the review ends automatically. Null: never. */
  readonly reviewUntil: number | null;
}
