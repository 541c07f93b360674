import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { Failure } from "./failure.ts";
import { createSignal } from "./signal.ts";

export interface Query<T> {
  readonly data: T | undefined;
  readonly failure: Failure | undefined;
  readonly isLoading: boolean;
  refetch(): void;
}

export interface QueryOptions<T> {
  /** Reads again this many seconds after each reply, while the page is visible. */
  readonly pollSeconds?: number | ((data: T) => number | undefined);
}

interface Outage {
  /** The time of the next retry (ms). */
  readonly at: number;
  readonly isRateLimit: boolean;
  retry(): void;
}

export const outages = createSignal<ReadonlyMap<object, Outage>>(new Map());

const cache = new Map<string, unknown>();
const mounted = new Set<{ readonly key: string; refetch(): void }>();

/** Reads all queries again whose key begins with one of these prefixes. Call it after a write that changes them. */
export function refresh(...prefixes: readonly string[]): void {
  const isAffected = (key: string) => prefixes.some((prefix) => key.startsWith(prefix));
  for (const key of cache.keys()) if (isAffected(key)) cache.delete(key);
  for (const query of mounted) if (isAffected(query.key)) query.refetch();
}

const backoffSeconds = (tries: number) => Math.min(2 ** tries, 30);

/**
 * A read. When `key` changes, it reads again and keeps the previous data until then. Outages are retried automatically.
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
