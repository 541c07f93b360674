import { api, take } from "../../api/client.ts";
import { useExplanation } from "../../api/explain.ts";
import { Failure } from "../../api/failure.ts";
import { useProgramQuery } from "../../api/use-program-query.ts";
import { useQuery } from "../../api/use-query.ts";
import { useProgram } from "../../session.tsx";

const pollSeconds = 4;

/** The newest live event of each kind among the last 50 events, and the newest of the shop's test events. */
export function useLatestEvents() {
  const { program } = useProgram();
  return useProgramQuery(
    "latest events",
    { pageSize: "50", test: "exclude" } as const,
    async (call, init) => {
      const list = api.tracking.events[":programId"].$get(call, init);
      const tests = api.tracking["check-test-events"].$post({ json: { program_id: program.id } }, init);
      const [{ data }, tested] = await Promise.all([take(list), take(tests)]);
      const clicks = data.filter((event) => event.event_type === "click");
      const {
        lead: [testLead],
        sale: [testSale],
      } = tested.data.eventsByType;
      return {
        testLead,
        testSale,
        click: clicks.find((event) => !event.is_bot),
        botClick: clicks.find((event) => event.is_bot),
        lead: data.find((event) => event.event_type === "lead"),
        sale: data.find((event) => event.event_type === "sale"),
      };
    },
    { pollSeconds },
  );
}

export const useSaleStory = (saleId: number) => useExplanation({ saleId: String(saleId) });

export const usePartners = () =>
  useProgramQuery(
    "partners",
    {},
    async (call, init) => (await take(api.programs[":programId"].partners.$get(call, init))).data,
  );

export const useNewestSdk = () =>
  useQuery("sdk", async (signal) => {
    const reply = await fetch("/sdk.tgz", { method: "HEAD", signal }).catch(() => Promise.reject(Failure.ofNetwork()));
    return reply.url;
  });
