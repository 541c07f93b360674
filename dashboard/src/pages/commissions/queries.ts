import { api, take } from "../../api/client.ts";
import { useQuery } from "../../api/use-query.ts";
import { useProgram } from "../../session.tsx";
import type { Filters } from "../../url.ts";

export const statuses = ["pending", "approved", "paid", "reversed", "rejected", "void"] as const;
export type Status = (typeof statuses)[number];

export const listQuery = ({ status, partnerId }: Filters) => ({
  status: statuses.find((each) => each === status),
  partnerId,
});

export function useCommissions(filters: Filters) {
  const { program } = useProgram();
  const query = { ...listQuery(filters), cursor: filters.cursor };
  return useQuery(`program ${program.id} commissions ${JSON.stringify(query)}`, (signal) =>
    take(
      api.programs[":programId"].commissions.$get(
        { param: { programId: String(program.id) }, query },
        { init: { signal } },
      ),
    ),
  );
}
export type Commission = NonNullable<ReturnType<typeof useCommissions>["data"]>["data"][number];

export function csvAddress(programId: number, filters: Filters): string {
  const query = Object.entries(listQuery(filters)).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value]],
  );
  return `/api/programs/${programId}/commissions?${new URLSearchParams([["format", "csv"], ...query])}`;
}
