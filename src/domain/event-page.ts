/** In the order in which events of one instant are listed, newest first: what follows from another comes before it. */
export const eventKinds = ["refund", "sale", "lead", "click"] as const;
export type EventKind = (typeof eventKinds)[number];

/** Where an event stands among all of a program; ids are unique within a kind alone. */
export interface EventPosition {
  readonly kind: EventKind;
  readonly id: number;
  /** Milliseconds. */
  readonly occurredAt: number;
}

const rank = (kind: EventKind): number => eventKinds.indexOf(kind);

/** Newest first, and one order for any set of events. */
export const byNewest = (a: EventPosition, b: EventPosition): number =>
  b.occurredAt - a.occurredAt || rank(a.kind) - rank(b.kind) || b.id - a.id;

/** Those of a kind up to this instant, and at it those with a smaller id alone. */
export interface EventBound {
  readonly occurredAt: number;
  readonly id: number;
}

const beyond = Number.MAX_SAFE_INTEGER;

/** What of a kind is listed after a position; without one, all up to `until` (ms). */
export function boundAfter(kind: EventKind, position: EventPosition | undefined, until = beyond): EventBound {
  if (position === undefined || position.occurredAt > until) return { occurredAt: until, id: beyond };
  const { occurredAt } = position;
  if (rank(kind) < rank(position.kind)) return { occurredAt, id: 0 };
  return { occurredAt, id: kind === position.kind ? position.id : beyond };
}
