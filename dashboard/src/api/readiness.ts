import { rememberLive } from "../live-programs.ts";
import { useProgram } from "../session.tsx";
import { api, take } from "./client.ts";
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
