import { isDeepStrictEqual } from "node:util";
import { clickOutcomes } from "#domain/attribution.ts";
import { dayMs } from "#domain/calendar.ts";
import { readStoredClickId } from "#domain/click-id.ts";
import type { Read } from "./invariant.ts";

export type Json = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Parses a JSON object. Returns `{}` for anything else, which another rule reports. */
export function parsed(text: string): Json {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

interface KnownLink {
  readonly id: number;
  readonly programId: number;
  readonly code: string;
}
export type Links = ReadonlyMap<number, KnownLink>;

const idOf = ({ clickId }: Json): string => String(clickId);
const clicksIn = ({ candidates }: Json): readonly Json[] =>
  Array.isArray(candidates) ? candidates.filter(isObject) : [];

/** Returns the links from which the click ids of the candidates were created. */
export async function linksOfCandidates(read: Read, explanations: readonly Json[]): Promise<Links> {
  const tokens = explanations.flatMap((explanation) =>
    clicksIn(explanation).map((click) => readStoredClickId(idOf(click))),
  );
  const ids = new Set(tokens.flatMap((token) => token?.linkId ?? []));
  if (ids.size === 0) return new Map();
  const links = (await read(`
    select json_object('id', k.id, 'programId', k.program_id, 'code', k.code) from referral_links k
    where k.id in (${[...ids].join(", ")})`)) as KnownLink[];
  return new Map(links.map((link) => [link.id, link]));
}

export interface DecidedEvent {
  readonly programId: number;
  readonly isTest: boolean;
  /**
   * The event's time, at which a click with the outcome "outside_window" must have been too old. Undefined if the click
   * may have been compared with the time of a later event.
   */
  readonly occurredAt: number | undefined;
  /** The values that the first candidate must have. Undefined if no click decided. */
  readonly deciding: Json | undefined;
  /** The newest click that the call sent, if it is known. */
  readonly sentClickId: string | null;
  /** True if the other candidates may have been compared with a click that wasn't chosen in the end. */
  readonly mayKeepEarlierClick: boolean;
  /** True if the decision considered a click of another call, which the evidence doesn't contain. */
  readonly mayConsiderOthers: boolean;
}

/** The maximum number of candidates: the ids that a call may send, and the click that the customer had before. */
const maxCandidates = 21;
const clickIdForm = /^[\w-]{34,96}$/;

/** Returns the parts of the candidates that contradict the rest of the explanation. */
export function candidateFaults(explanation: Json, event: DecidedEvent, links: Links): readonly string[] {
  const { candidates } = explanation;
  const clicks = clicksIn(explanation);
  if (!Array.isArray(candidates) || candidates.length > maxCandidates || clicks.length < candidates.length) {
    return ["candidates"];
  }
  const wrong = clicks.findIndex((click) => !isWellJudged(click, event, links));
  const isSentKept = clicks.length === maxCandidates || event.sentClickId === null || clicks.some(isSent(event));
  const chosen = clicks.findIndex(({ outcome }) => outcome === "chosen");
  const isOtherChosen = clicks.some(
    ({ outcome }, i) => outcome === "chosen" && (i > 0 || event.deciding === undefined),
  );
  return [
    ...(wrong < 0 ? [] : [`candidates[${wrong}]`]),
    ...(isSentKept ? [] : ["candidates, which lack the click that was sent"]),
    ...(isOtherChosen ? [`candidates[${chosen}], which was not chosen`] : []),
    ...(isDecidedBy(event.deciding, clicks[0]) ? [] : ["candidates[0], which is not the click that decided"]),
    ...beatenFaults(clicks, event),
  ];
}

const isSent =
  ({ sentClickId }: DecidedEvent) =>
  ({ clickId, outcome }: Json): boolean =>
    clickId === (clickIdForm.test(String(sentClickId)) || outcome !== "invalid" ? sentClickId : "malformed");

const isDecidedBy = (deciding: Json | undefined, first: Json = {}): boolean =>
  Object.entries(deciding ?? {}).every(([name, value]) => isDeepStrictEqual(first[name] ?? null, value ?? null));

/** True for a candidate that another call has sent. The explanation then lacks the click's partner. */
const isOfAnotherCall = ({ clickId }: Json, { deciding, sentClickId, mayConsiderOthers }: DecidedEvent): boolean =>
  deciding === undefined
    ? mayConsiderOthers && clickId !== sentClickId
    : deciding.clickId === clickId && deciding.partnerCode === null;

function isWellJudged(click: Json, event: DecidedEvent, links: Links): boolean {
  const { programId, isTest, occurredAt } = event;
  const { at, partnerCode, outcome, ageDays, windowDays } = click;
  if (typeof click.clickId !== "string" || !clickOutcomes.some((one) => one === outcome)) return false;
  if (outcome === "invalid") return at === null && partnerCode === null;
  const token = readStoredClickId(click.clickId);
  if (token?.programId !== programId || token.isTest !== isTest || token.at !== at) return false;
  const link = links.get(token.linkId);
  const isNamed = link?.code === partnerCode || (partnerCode === null && isOfAnotherCall(click, event));
  if (link?.programId !== programId || !isNamed) return false;
  if (outcome !== "outside_window") return true;
  const isOld = typeof ageDays === "number" && typeof windowDays === "number" && ageDays >= windowDays;
  return isOld && (occurredAt === undefined || occurredAt - token.at > Number(windowDays) * dayMs);
}

/**
 * Finds clicks whose outcome is wrong relative to the chosen click. A click counts as older or newer than the chosen
 * one, even if it was after the sale.
 */
function beatenFaults(clicks: readonly Json[], event: DecidedEvent): readonly string[] {
  const wrong = clicks.findIndex(misplacedIn(clicks, event));
  return wrong < 0 ? [] : [`candidates[${wrong}], beside the one that was taken`];
}

const instantsOf = (clicks: readonly Json[]): readonly number[] => clicks.map(({ at }) => Number(at));

function misplacedIn(
  clicks: readonly Json[],
  { deciding, mayKeepEarlierClick }: DecidedEvent,
): (click: Json) => boolean {
  // A lead's explanation doesn't list a click of another call that the decision considered. The lead's own clicks are
  // older or newer than that click.
  if (deciding === undefined && mayKeepEarlierClick) {
    const newest = Math.max(...instantsOf(clicks.filter(({ outcome }) => outcome === "older")));
    return ({ at, outcome }) => outcome === "newer" && Number(at) <= newest;
  }
  const [first] = clicks;
  const isTooLate =
    first?.outcome === "after_the_event" && (deciding === undefined || deciding.outcome === "after_the_event");
  const isAlone = isTooLate || (first?.outcome === "chosen" && !mayKeepEarlierClick);
  const taken = isAlone
    ? [first]
    : clicks.filter(({ outcome }) => outcome === "chosen" || outcome === "outside_window");
  if (taken.length === 0) return () => false;
  const instants = instantsOf(taken);
  return ({ at, outcome }) =>
    (outcome === "older" && Number(at) > Math.max(...instants)) ||
    (outcome === "newer" && Number(at) < Math.min(...instants));
}
