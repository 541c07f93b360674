import type { TrackedEvent } from "../../api/types.ts";

/** An event as a URL names it. `at` locates it in the list, which has no lookup by ID. */
export interface EventRef {
  readonly kind: TrackedEvent["event_type"];
  readonly id: number;
  readonly isTest: boolean;
  /** ISO 8601. */
  readonly at: string;
}

export const formatEventRef = ({ kind, id, isTest, at }: EventRef): string =>
  `${kind}-${id}-${Date.parse(at)}${isTest ? "-test" : ""}`;

export const eventRefOf = ({ event_type, id, is_test, timestamp }: TrackedEvent): string =>
  formatEventRef({ kind: event_type, id, isTest: is_test, at: timestamp });

export function parseEventRef(text: string | undefined): EventRef | undefined {
  const match = /^(click|lead|sale|refund)-(\d{1,15})-(\d{1,13})(-test)?$/.exec(text ?? "");
  if (match === null) return undefined;
  const [, kind, id, at, isTest] = match;
  return {
    kind: kind as EventRef["kind"],
    id: Number(id),
    isTest: isTest !== undefined,
    at: new Date(Number(at)).toISOString(),
  };
}
