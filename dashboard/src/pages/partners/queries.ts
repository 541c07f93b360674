import { api, take } from "../../api/client.ts";
import { mapConcurrent } from "../../api/map-concurrent.ts";
import { useQuery } from "../../api/use-query.ts";
import { useProgram } from "../../session.tsx";

export const periods = [
  ["7d", "7 days"],
  ["30d", "30 days"],
  ["90d", "90 days"],
  ["all", "All time"],
] as const;
export type Period = (typeof periods)[number][0];

/** The service has figures of one partner per call. */
const maxConcurrent = 4;

export function useFigures(ids: readonly number[], period: Period, currency: string) {
  const { program } = useProgram();
  const param = { programId: String(program.id) };
  return useQuery(`program ${program.id} figures-of-partners ${period} ${currency} ${ids.join()}`, (signal) =>
    mapConcurrent(ids, maxConcurrent, async (id) => {
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

/** Keys that a change of a partner affects. Its figures stay the same. */
export const partnerQueryKeys = (programId: number): readonly string[] =>
  ["every partner", "partners", "audit"].map((name) => `program ${programId} ${name}`);
