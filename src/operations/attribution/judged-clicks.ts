import type { Candidate, ClickVerdict, JudgedClick, UnattributedReason } from "#domain/attribution.ts";
import { freezeLead } from "#domain/explain/frozen.ts";
import type { CustomerRow } from "#store/customers.ts";
import type { Program } from "#store/settings.ts";
import type { Settings, VerifiedClick } from "../operation.ts";
import { attributionTerms } from "./attribution-terms.ts";

export interface SentClicks {
  /** Valid clicks of the same program and mode (live or test) as the call, each with an existing link. */
  readonly clicks: readonly VerifiedClick[];
  readonly invalidClickIds: readonly string[];
}

/** The most click ids judged for one call. */
const maxJudged = 21;
/**
 * The form of a click id. A text of another form is stored as `malformed` instead, because anyone can send any text,
 * and members see the stored ids.
 */
const clickIdForm = /^[\w-]{34,96}$/;
const malformed = "malformed";

/**
 * Click ids that are invalid for the call: forged, of another program, live for a test call or the reverse, or without
 * a link.
 */
export function invalidIds(
  { clicks, invalidClickIds = [] }: Pick<SentClicks, "clicks"> & Partial<SentClicks>,
  valid: readonly VerifiedClick[],
): readonly string[] {
  const good = new Set(valid.map(({ clickId }) => clickId));
  const elsewhere = clicks.map(({ clickId }) => clickId).filter((clickId) => !good.has(clickId));
  return [...elsewhere, ...invalidClickIds].map((clickId) => (clickIdForm.test(clickId) ? clickId : malformed));
}

/** Returns the considered clicks, the chosen one first. `others` are clicks that the call didn't send. */
export function judgeClicks(
  { clicks, invalidClickIds }: SentClicks,
  verdictOn: (click: Candidate) => ClickVerdict,
  settings: Settings,
  others: readonly (JudgedClick | undefined)[] = [],
): readonly JudgedClick[] {
  const sent = clicks.map((click) => judgedClick(click, verdictOn(click), settings)).reverse();
  const ids = new Set(sent.map(({ clickId }) => clickId));
  const unsent = others.filter((other) => other !== undefined).filter(({ clickId }) => !ids.has(clickId));
  const all = [...unsent, ...sent, ...invalidClicks(invalidClickIds)];
  return all.sort((a, b) => Number(isChosen(b)) - Number(isChosen(a))).slice(0, maxJudged);
}

const isChosen = ({ outcome }: JudgedClick): boolean => outcome === "chosen";

export const invalidClicks = (clickIds: readonly string[]): readonly JudgedClick[] =>
  clickIds.map((clickId) => ({ clickId, at: null, partnerCode: null, outcome: "invalid" }));

/**
 * The verdict on one click. A click that wasn't chosen and whose link is paused gets the outcome `other_link_paused`.
 */
export function judgedClick(
  { clickId, at, linkId }: Candidate,
  verdict: ClickVerdict,
  settings: Settings,
): JudgedClick {
  const link = settings.link(linkId);
  const isOther = verdict.outcome === "older" || verdict.outcome === "newer";
  const outcome = isOther && link?.isActive === false ? "other_link_paused" : verdict.outcome;
  return { ...verdict, clickId, at, partnerCode: link?.code ?? null, outcome };
}

/** The click that attributes the customer. */
export function clickOfCustomer(
  { clickId, clickAt, clickAgeDays, windowDays }: CustomerRow,
  partnerCode: string | null | undefined,
  outcome: "chosen" | "unconfirmed",
): JudgedClick | undefined {
  if (clickId === null) return undefined;
  const age = {
    ...(clickAgeDays === null ? {} : { ageDays: clickAgeDays }),
    ...(windowDays === null ? {} : { windowDays }),
  };
  return { clickId, at: clickAt, partnerCode: partnerCode ?? null, outcome, ...age };
}

export interface LeadDecision {
  readonly judged: readonly JudgedClick[];
  /** Undefined if the lead is attributed or provisional. */
  readonly reason?: UnattributedReason | undefined;
  /** Undefined if the lead has no customer. */
  readonly customer?: CustomerRow;
}

export function frozenLead({ judged, reason, customer }: LeadDecision, program: Program, decidedAt: number): string {
  const terms = attributionTerms(program);
  return freezeLead({
    decidedAt,
    reason: reason ?? null,
    model: customer?.model ?? terms.model,
    windowDays: customer?.windowDays ?? terms.windowDays,
    windowUntil: customer?.windowUntil ?? terms.windowUntil,
    candidates: judged,
  });
}
