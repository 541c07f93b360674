import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { Failure } from "./failure.ts";
import { createSignal } from "./signal.ts";

export interface Query<T> {
  /** The last that came, also while it is asked for again. */
  readonly data: T | undefined;
  /** Why the last attempt brought nothing. */
  readonly failure: Failure | undefined;
  readonly isLoading: boolean;
  /** Asks again, now. */
  refetch(): void;
}

export interface QueryOptions<T> {
  /** Asks again so many seconds after each answer, as long as the page is looked at. */
  readonly pollSeconds?: number | ((data: T) => number | undefined);
}

interface Outage {
  /** When the query tries again (ms). */
  readonly at: number;
  /** The service answers, but this user has asked it too often. */
  readonly isRateLimit: boolean;
  retry(): void;
}

/** Queries that wait for the service to come back. */
export const outages = createSignal<ReadonlyMap<object, Outage>>(new Map());

const cache = new Map<string, unknown>();
const mounted = new Set<{ readonly key: string; refetch(): void }>();

/** Asks anew for all whose key begins with one of these. To be called after a write that changes them. */
export function refresh(...prefixes: readonly string[]): void {
  const isAffected = (key: string) => prefixes.some((prefix) => key.startsWith(prefix));
  for (const key of cache.keys()) if (isAffected(key)) cache.delete(key);
  for (const query of mounted) if (isAffected(query.key)) query.refetch();
}

const backoffSeconds = (tries: number) => Math.min(2 ** tries, 30);

/**
 * What a read brings. `key` names what is asked for: where it changes, the read is made again, and until its answer the
 * old one stays. An outage is waited for, and tried again by itself.
 */
export function useQuery<T>(
  key: string,
  load: (signal: AbortSignal) => Promise<T>,
  { pollSeconds }: QueryOptions<T> = {},
): Query<T> {
  const [state, setState] = useState<Omit<Query<T>, "refetch">>({
    data: cache.get(key) as T | undefined,
    failure: undefined,
    isLoading: true,
  });
  const latest = useRef({ load, pollSeconds });
  latest.current = { load, pollSeconds };
  const runs = useRef<() => void>(undefined);

  useEffect(() => {
    let running: AbortController | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let tries = 0;

    const stopWaiting = () => {
      clearTimeout(timer);
      if (!outages.get().has(query)) return;
      const others = new Map(outages.get());
      others.delete(query);
      outages.set(others);
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
        setState({ data, failure: undefined, isLoading: false });
        const { pollSeconds: poll } = latest.current;
        const seconds = typeof poll === "function" ? poll(data) : poll;
        if (seconds !== undefined) later(seconds);
      } catch (error) {
        if (own.signal.aborted) return;
        if (!(error instanceof Failure)) throw error;
        setState((before) => ({ ...before, failure: error, isLoading: false }));
        if (!error.isOutage) return stopWaiting();
        tries += 1;
        const seconds = error.retryAfterSeconds ?? backoffSeconds(tries);
        const outage = { at: Date.now() + seconds * 1000, isRateLimit: error.status === 429, retry: run };
        outages.set(new Map(outages.get()).set(query, outage));
        later(seconds);
      }
    };
    const query = { key, refetch: run };
    runs.current = run;
    mounted.add(query);
    if (cache.has(key)) setState({ data: cache.get(key) as T, failure: undefined, isLoading: true });
    void run();
    return () => {
      running?.abort();
      mounted.delete(query);
      stopWaiting();
      document.removeEventListener("visibilitychange", run);
    };
  }, [key]);

  return { ...state, refetch: useCallback(() => runs.current?.(), []) };
}
