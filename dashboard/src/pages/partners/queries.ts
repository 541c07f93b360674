import { api, take } from "../../api/client.ts";
import { inTurn } from "../../api/in-turn.ts";
import { useQuery } from "../../api/use-query.ts";
import { useProgram } from "../../session.tsx";

export const periods = ["7d", "30d", "90d", "all"] as const;
export type Period = (typeof periods)[number];

/** A page of the list, as the service pages it. */
export function usePartnerPage(cursor: string | undefined) {
  const { program } = useProgram();
  return useQuery(`program ${program.id} partner-page ${cursor}`, (signal) =>
    take(
      api.programs[":programId"].partners.$get(
        { param: { programId: String(program.id) }, query: { cursor } },
        { init: { signal } },
      ),
    ),
  );
}
export type Partner = NonNullable<ReturnType<typeof usePartnerPage>["data"]>["data"][number];

/** The figures are asked for partner by partner: so many at a time. */
const atOnce = 4;

/** What each of some partners brought in a period, in one currency. */
export function useFigures(ids: readonly number[], period: Period, currency: string) {
  const { program } = useProgram();
  const param = { programId: String(program.id) };
  return useQuery(`program ${program.id} figures-of-partners ${period} ${currency} ${ids.join()}`, (signal) =>
    inTurn(ids, atOnce, async (id) => {
      const query = { period, currency, partnerId: String(id) };
      const { metrics, meta } = await take(
        api.tracking.performance[":programId"].$get({ param, query }, { init: { signal } }),
      );
      return { key: figuresKey(id, period, currency), metrics, otherCurrencies: meta.otherCurrencies };
    }),
  );
}
export type Figures = NonNullable<ReturnType<typeof useFigures>["data"]>[number];

export const figuresKey = (partnerId: number, period: Period, currency: string): string =>
  `${partnerId} ${period} ${currency}`;
