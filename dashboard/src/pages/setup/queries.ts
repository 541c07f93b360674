import { api, take } from "../../api/client.ts";
import { Failure } from "../../api/failure.ts";
import { useQuery } from "../../api/use-query.ts";
import { useProgram } from "../../session.tsx";

const param = (programId: number) => ({ programId: String(programId) });

export function useReadiness() {
  const { program } = useProgram();
  return useQuery(
    `program ${program.id} readiness`,
    (signal) => take(api.tracking.readiness[":programId"].$get({ param: param(program.id) }, { init: { signal } })),
    { pollSeconds: ({ poll }) => poll.retry_after_seconds },
  );
}
export type Readiness = NonNullable<ReturnType<typeof useReadiness>["data"]>;

export function useStatus(pollSeconds: number) {
  const { program } = useProgram();
  return useQuery(
    `program ${program.id} status`,
    async (signal) =>
      (await take(api.tracking.status[":programId"].$get({ param: param(program.id) }, { init: { signal } }))).data,
    { pollSeconds },
  );
}

export function usePartners() {
  const { program } = useProgram();
  return useQuery(`program ${program.id} partners`, async (signal) => {
    const list = api.programs[":programId"].partners.$get(
      { param: param(program.id), query: {} },
      { init: { signal } },
    );
    return (await take(list)).data;
  });
}

export const useNewestSdk = () =>
  useQuery("sdk", async (signal) => {
    const reply = await fetch("/sdk.tgz", { method: "HEAD", signal }).catch(() => Promise.reject(Failure.ofNetwork()));
    return reply.url;
  });
