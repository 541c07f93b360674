import { api, take } from "../../api/client.ts";
import { readExplanation } from "../../api/explain.ts";
import { Failure } from "../../api/failure.ts";
import { useQuery } from "../../api/use-query.ts";
import { useProgram } from "../../session.tsx";

const param = (programId: number) => ({ programId: String(programId) });

const pollSeconds = 4;

/** The newest live events of each kind, as far as they are among the last 50, and the newest of the shop's test events. */
export function useLatestEvents() {
  const { program } = useProgram();
  return useQuery(
    `program ${program.id} latest events`,
    async (signal) => {
      const query = { pageSize: "50", test: "exclude" } as const;
      const list = api.tracking.events[":programId"].$get({ param: param(program.id), query }, { init: { signal } });
      const json = { program_id: program.id };
      const tests = api.tracking["check-test-events"].$post({ json }, { init: { signal } });
      const [{ data }, tested] = await Promise.all([take(list), take(tests)]);
      const {
        lead: [testLead],
        sale: [testSale],
      } = tested.data.eventsByType;
      return {
        testLead,
        testSale,
        click: data.find((event) => event.event_type === "click"),
        lead: data.find((event) => event.event_type === "lead"),
        sale: data.find((event) => event.event_type === "sale"),
      };
    },
    { pollSeconds },
  );
}

export function useSaleStory(saleId: number) {
  const { program } = useProgram();
  return useQuery(`program ${program.id} story ${saleId}`, (signal) =>
    readExplanation(program.id, { saleId: String(saleId) }, signal),
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
