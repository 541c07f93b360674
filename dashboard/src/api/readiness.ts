import { rememberLive } from "../live-programs.ts";
import { useProgram } from "../session.tsx";
import { api, take } from "./client.ts";
import { useProgramQuery } from "./use-program-query.ts";

export function useReadiness() {
  const { program } = useProgram();
  return useProgramQuery(
    "readiness",
    {},
    async ({ param }, init) => {
      const readiness = await take(api.tracking.readiness[":programId"].$get({ param }, init));
      rememberLive(program.id, readiness.state === "live_verified");
      return readiness;
    },
    { pollSeconds: ({ poll }) => poll.retry_after_seconds },
  );
}

export type Readiness = NonNullable<ReturnType<typeof useReadiness>["data"]>;
