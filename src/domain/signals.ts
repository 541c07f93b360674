import { dayMs } from "./calendar.ts";
import { hostOf } from "./code-owner.ts";
import type { PartnerId } from "./ids.ts";
import {
  type FlagCode,
  flagOf,
  type Hold,
  idKinds,
  type NearbySale,
  type PartnerRisk,
  type RiskTerms,
  type Signal,
  type SignalCode,
  type SignalEffect,
  type SignalEvidence,
  settingOf,
} from "./risk.ts";

/** The id's prefix, by which payment processors mark the kind of record. Empty for unknown kinds. */
export const kindOfId = (transactionId: string): string => idKinds.find((kind) => transactionId.startsWith(kind)) ?? "";

/** The host of the URL, if the host or a domain above it is blocked. */
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
  /**
   * Another sale that may be the same payment. Undefined if there is none, or if the two sales were compared before.
   */
  readonly nearby?: NearbySale | undefined;
}

/** The signals that a sale raises under the program's settings. */
export function signalsOf({ partnerId, risk, transactionId, nearby }: Suspicion, terms: RiskTerms): readonly Signal[] {
  const raised: Signal[] = [];
  const raise = (code: SignalCode, evidence: SignalEvidence, names: PartnerId | null, most: SignalEffect = "hold") => {
    const setting = terms[settingOf[code]];
    if (setting === "off") return;
    const effect = risk.isExempt ? "flag" : most === "flag" ? "flag" : setting;
    raised.push({ code, effect, evidence, partnerId: names });
  };
  const flag = (code: FlagCode, names: PartnerId) => {
    if (terms[settingOf[flagOf[code]]] !== "off") {
      raised.push({ code, effect: "flag", evidence: {}, partnerId: names });
    }
  };
  if (risk.isCustomer) raise("self_referral", {}, partnerId);
  else if (risk.isSimilar) flag("self_referral_similar", partnerId);
  if (nearby !== undefined) {
    // Two records of one payment have ids of different kinds. Two ids of the same kind are more likely two purchases.
    const isOtherKind = kindOfId(nearby.transactionId) !== kindOfId(transactionId);
    const { saleId, occurredAt } = nearby;
    raise("duplicate_source", { saleId, occurredAt }, null, isOtherKind ? "hold" : "flag");
  }
  const host = blockedHostOf(risk.referrerUrl, terms.blockedHosts);
  if (host !== undefined) raise("blocked_source", { host }, partnerId);
  if (risk.hasManySources) raise("many_sources", {}, partnerId);
  return raised;
}

/** When a signal's hold ends automatically (ms). */
export const reviewEndOf = ({ reviewDays }: Pick<RiskTerms, "reviewDays">, raisedAt: number): number | null =>
  reviewDays === null ? null : raisedAt + reviewDays * dayMs;

/** Combines holds: from the first start to the last end. */
export function joinHolds(holds: readonly Hold[]): Hold | undefined {
  if (holds.length === 0) return undefined;
  const ends = holds.map(({ reviewUntil }) => reviewUntil);
  return {
    heldAt: Math.min(...holds.map(({ heldAt }) => heldAt)),
    reviewUntil: ends.includes(null) ? null : Math.max(...ends.map((end) => end ?? 0)),
  };
}
