/** Orders events at the same instant, newest first: a sale comes before the lead and the click that led to it. */
export const eventKinds = ["refund", "sale", "lead", "click"] as const;
export type EventKind = (typeof eventKinds)[number];

export interface EventPosition {
  readonly kind: EventKind;
  readonly id: number;
  readonly occurredAt: number;
}

const rank = (kind: EventKind): number => eventKinds.indexOf(kind);

export const byNewest = (a: EventPosition, b: EventPosition): number =>
  b.occurredAt - a.occurredAt || rank(a.kind) - rank(b.kind) || b.id - a.id;

/** Selects events of a kind before this instant, and at this instant those with a smaller id. */
export interface EventBound {
  readonly occurredAt: number;
  readonly id: number;
}

const beyond = Number.MAX_SAFE_INTEGER;

/** The bound of the page after `position`. Without a position, it includes all events up to `until` (ms). */
export function boundAfter(kind: EventKind, position: EventPosition | undefined, until = beyond): EventBound {
  if (position === undefined || position.occurredAt > until) return { occurredAt: until, id: beyond };
  const { occurredAt } = position;
  if (rank(kind) < rank(position.kind)) return { occurredAt, id: 0 };
  return { occurredAt, id: kind === position.kind ? position.id : beyond };
}
