import { api, take } from "../../api/client.ts";
import type { EventKind, TrackedEvent } from "../../api/types.ts";
import { useProgramQuery } from "../../api/use-program-query.ts";
import type { Filters } from "../../url.ts";

const kinds = ["click", "lead", "sale", "refund"] as const satisfies readonly EventKind[];
const books = ["exclude", "only", "include"] as const;

const pageSize = "25";
const pollSeconds = 5;

const known = <const Value extends string>(values: readonly Value[], value: string | undefined): Value | undefined =>
  values.find((each) => each === value);

/** The query of the events. Values that the service doesn't know are ignored. */
export function eventQuery({ type, dateFrom, dateTo, partnerId, test }: Filters) {
  const eventType = known(kinds, type);
  const book = known(books, test) ?? "exclude";
  return {
    test: book,
    ...(eventType && { eventType }),
    ...(dateFrom && { dateFrom }),
    ...(dateTo && { dateTo }),
    ...(partnerId && { partnerId }),
  };
}

/** Reads events, and polls the newest page. `queryKey` identifies the request that the data belongs to. */
export function useEvents(filters: Filters) {
  const { cursor } = filters;
  const query = { ...eventQuery(filters), pageSize, ...(cursor && { cursor }) };
  return useProgramQuery(
    "events",
    query,
    async (call, init) => ({
      ...(await take(api.tracking.events[":programId"].$get(call, init))),
      queryKey: JSON.stringify(call),
    }),
    cursor === undefined ? { pollSeconds } : {},
  );
}

export type Events = NonNullable<ReturnType<typeof useEvents>["data"]>;

export const eventKey = ({ event_type, id, is_test }: Pick<TrackedEvent, "event_type" | "id" | "is_test">): string =>
  `${event_type}-${id}${is_test ? "-test" : ""}`;
