import type { TrackedEvent } from "../../api/replies.ts";

/** Which event a URL means. The instant says where in the list it stands. */
export interface Place {
  readonly kind: TrackedEvent["event_type"];
  readonly id: number;
  readonly isTest: boolean;
  /** ISO 8601. */
  readonly at: string;
}

export const writePlace = ({ kind, id, isTest, at }: Place): string =>
  `${kind}-${id}-${Date.parse(at)}${isTest ? "-test" : ""}`;

export const placeOf = ({ event_type, id, is_test, timestamp }: TrackedEvent): string =>
  writePlace({ kind: event_type, id, isTest: is_test, at: timestamp });

export function readPlace(text: string | undefined): Place | undefined {
  const match = /^(click|lead|sale|refund)-(\d{1,15})-(\d{1,13})(-test)?$/.exec(text ?? "");
  if (match === null) return undefined;
  const [, kind, id, at, isTest] = match;
  return {
    kind: kind as Place["kind"],
    id: Number(id),
    isTest: isTest !== undefined,
    at: new Date(Number(at)).toISOString(),
  };
}
