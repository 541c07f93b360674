import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { Failure } from "./failure.ts";
import { createSignal } from "./signal.ts";
import { valueFor } from "./value-for.ts";

export interface Query<T> {
  readonly data: T | undefined;
  readonly failure: Failure | undefined;
  readonly isLoading: boolean;
  /** True if the data belongs to a previous key. */
  readonly isStale: boolean;
  /** True while the data is being read, or stale. */
  readonly isBusy: boolean;
  refetch(): void;
}

export interface QueryOptions<T> {
  /** Reads again this many seconds after each reply, while the page is visible. */
  readonly pollSeconds?: number | ((data: T) => number | undefined);
}

interface Mounted {
  readonly key: string;
  refetch(): void;
}

interface Outage {
  /** The time of the next retry (ms). */
  readonly at: number;
  /** The HTTP status, or 0 if there was no reply. */
  readonly status: number;
  retry(): void;
}

export const outages = createSignal<ReadonlyMap<object, Outage>>(new Map());

const cache = new Map<string, unknown>();
const mounted = new Set<Mounted>();

/**
 * Reads all queries again whose key begins with one of these prefixes. Call it after a write that changes their data.
 */
export function refresh(...prefixes: readonly string[]): void {
  const isAffected = (key: string) => prefixes.some((prefix) => key.startsWith(prefix));
  for (const key of cache.keys()) if (isAffected(key)) cache.delete(key);
  for (const query of mounted) if (isAffected(query.key)) query.refetch();
}

const backoffSeconds = (tries: number) => Math.min(2 ** tries, 30);

/** Returns the seconds until the next retry. */
function addOutage(query: Mounted, { status, retryAfterSeconds }: Failure, tries: number): number {
  const seconds = retryAfterSeconds ?? backoffSeconds(tries);
  const outage = { at: Date.now() + seconds * 1000, status, retry: query.refetch };
  outages.set(new Map(outages.get()).set(query, outage));
  return seconds;
}

function removeOutage(query: Mounted): void {
  if (!outages.get().has(query)) return;
  const others = new Map(outages.get());
  others.delete(query);
  outages.set(others);
}

interface Latest<T> {
  readonly load: (signal: AbortSignal) => Promise<T>;
  readonly pollSeconds: QueryOptions<T>["pollSeconds"];
}
/** `key` is the key that the data belongs to. */
type State<T> = Pick<Query<T>, "data" | "failure" | "isLoading"> & { readonly key: string };

/** Reads at once, after outages, and as often as the query polls, until it is stopped. */
function startReading<T>(
  key: string,
  latest: { readonly current: Latest<T> },
  setState: (change: State<T> | ((before: State<T>) => State<T>)) => void,
): { refetch(): void; stop(): void } {
  let running: AbortController | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let tries = 0;

  const stopWaiting = () => {
    clearTimeout(timer);
    removeOutage(query);
  };
  const later = (seconds: number) => {
    clearTimeout(timer);
    timer = setTimeout(runWhenSeen, seconds * 1000);
  };
  const runWhenSeen = () => {
    if (!document.hidden) void run();
    else document.addEventListener("visibilitychange", run, { once: true });
  };
  const run = async () => {
    clearTimeout(timer);
    running?.abort();
    const own = new AbortController();
    running = own;
    setState((before) => ({ ...before, isLoading: true }));
    try {
      const data = await latest.current.load(own.signal);
      if (own.signal.aborted) return;
      cache.set(key, data);
      tries = 0;
      stopWaiting();
      setState({ key, data, failure: undefined, isLoading: false });
      const seconds = valueFor(latest.current.pollSeconds, data);
      if (seconds !== undefined) later(seconds);
    } catch (error) {
      if (own.signal.aborted) return;
      const failure = Failure.of(error);
      setState((before) => ({ ...before, failure, isLoading: false }));
      if (!failure.isOutage) return stopWaiting();
      tries += 1;
      later(addOutage(query, failure, tries));
    }
  };
  const query = { key, refetch: run };
  mounted.add(query);
  if (cache.has(key)) setState({ key, data: cache.get(key) as T, failure: undefined, isLoading: true });
  void run();
  return {
    refetch: run,
    stop: () => {
      running?.abort();
      mounted.delete(query);
      stopWaiting();
      document.removeEventListener("visibilitychange", run);
    },
  };
}

/**
 * Reads data. When `key` changes, it reads again and returns the previous data until then. Outages are retried
 * automatically.
 */
export function useQuery<T>(
  key: string,
  load: (signal: AbortSignal) => Promise<T>,
  { pollSeconds }: QueryOptions<T> = {},
): Query<T> {
  const [state, setState] = useState<State<T>>({
    key,
    data: cache.get(key) as T | undefined,
    failure: undefined,
    isLoading: true,
  });
  const latest = useRef({ load, pollSeconds });
  latest.current = { load, pollSeconds };
  const runs = useRef<() => void>(undefined);

  useEffect(() => {
    const reading = startReading(key, latest, setState);
    runs.current = reading.refetch;
    return reading.stop;
  }, [key]);

  const { key: dataKey, ...read } = state;
  const isStale = read.data !== undefined && dataKey !== key;
  return { ...read, isStale, isBusy: read.isLoading || isStale, refetch: useCallback(() => runs.current?.(), []) };
}
