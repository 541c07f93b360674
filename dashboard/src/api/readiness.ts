import { useEffect } from "preact/hooks";
import { livePrograms, rememberLive } from "../live-programs.ts";
import { useProgram } from "../session.tsx";
import { api, take } from "./client.ts";
import { useSignal } from "./signal.ts";
import { useQuery } from "./use-query.ts";

async function readReadiness(programId: number, signal: AbortSignal) {
  const param = { programId: String(programId) };
  const readiness = await take(api.tracking.readiness[":programId"].$get({ param }, { init: { signal } }));
  rememberLive(programId, readiness.state === "live_verified");
  return readiness;
}

export type Readiness = Awaited<ReturnType<typeof readReadiness>>;

export function useReadiness() {
  const { program } = useProgram();
  return useQuery(`program ${program.id} readiness`, (signal) => readReadiness(program.id, signal), {
    pollSeconds: ({ poll }) => poll.retry_after_seconds,
  });
}

/** Asks only if nobody has: `isAsked` while the page reads the readiness itself. Assumes no until it knows. */
export function useIsLive(isAsked: boolean): boolean {
  const { program, isArchived } = useProgram();
  const isLive = useSignal(livePrograms).has(program.id);
  useEffect(() => {
    if (isLive || isAsked || isArchived) return;
    const asking = new AbortController();
    // If it fails, Setup stays in the navigation.
    readReadiness(program.id, asking.signal).catch(() => undefined);
    return () => asking.abort();
  }, [program.id]);
  return isLive;
}
