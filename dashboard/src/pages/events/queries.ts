import { api, take } from "../../api/client.ts";
import type { EventKind, TrackedEvent } from "../../api/types.ts";
import { useQuery } from "../../api/use-query.ts";
import { useProgram } from "../../session.tsx";
import type { Filters } from "../../url.ts";

const kinds = ["click", "lead", "sale", "refund"] as const satisfies readonly EventKind[];
const books = ["exclude", "only", "include"] as const;

const pageSize = "25";
const pollSeconds = 5;

const known = <const Value extends string>(values: readonly Value[], value: string | undefined): Value | undefined =>
  values.find((each) => each === value);

/** Ignores values that the service doesn't know. */
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

/** Polls the newest page. `queryKey` identifies the request that the data belongs to. */
export function useEvents(filters: Filters) {
  const { program } = useProgram();
  const { cursor } = filters;
  const query = { ...eventQuery(filters), pageSize, ...(cursor && { cursor }) };
  const queryKey = `program ${program.id} events ${JSON.stringify(query)}`;
  return useQuery(
    queryKey,
    async (signal) => ({ ...(await readEvents(program.id, query, signal)), queryKey }),
    cursor === undefined ? { pollSeconds } : {},
  );
}

export type EventQuery = ReturnType<typeof eventQuery> & { readonly pageSize?: string; readonly cursor?: string };

export const readEvents = (programId: number, query: EventQuery, signal: AbortSignal) =>
  take(
    api.tracking.events[":programId"].$get({ param: { programId: String(programId) }, query }, { init: { signal } }),
  );

export type Events = NonNullable<ReturnType<typeof useEvents>["data"]>;

export const eventKey = ({ event_type, id, is_test }: Pick<TrackedEvent, "event_type" | "id" | "is_test">): string =>
  `${event_type}-${id}${is_test ? "-test" : ""}`;
