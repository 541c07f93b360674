/** Orders events at the same instant: a click comes before the lead and the sale that it led to. */
export const storyTypes = ["click", "lead", "sale", "refund"] as const;
export type StoryType = (typeof storyTypes)[number];

/** Events on a page of an explanation, unless the caller asks for fewer. */
export const storyPageSize = 100;

export interface StoryPosition {
  readonly type: StoryType;
  readonly id: number | string;
  readonly occurredAt: number;
}

const rank = (type: StoryType): number => storyTypes.indexOf(type);

export const chronological = (a: StoryPosition, b: StoryPosition): number =>
  a.occurredAt - b.occurredAt || rank(a.type) - rank(b.type) || (a.id < b.id ? -1 : 1);

/** Ids below and above all ids of each type. Click ids are base64url. */
const first = { click: "", lead: 0, sale: 0, refund: 0 } as const;
const beyond = {
  click: "~",
  lead: Number.MAX_SAFE_INTEGER,
  sale: Number.MAX_SAFE_INTEGER,
  refund: Number.MAX_SAFE_INTEGER,
} as const;

/**
 * Selects the events of a type after a position: those after this instant, and at this instant those with a greater id.
 */
export function startAfter(
  type: StoryType,
  position: StoryPosition | undefined,
): { readonly afterAt: number; readonly afterId: number | string } {
  if (position === undefined) return { afterAt: Number.MIN_SAFE_INTEGER, afterId: first[type] };
  const { occurredAt: afterAt } = position;
  if (type === position.type) return { afterAt, afterId: position.id };
  return { afterAt, afterId: rank(type) < rank(position.type) ? beyond[type] : first[type] };
}
