import { api, take } from "../../api/client.ts";
import { useQuery } from "../../api/use-query.ts";
import { useProgram } from "../../session.tsx";
import type { Filters } from "../../url.ts";

export const statementQuery = ({ from, to, currency }: Filters) => ({
  ...(from && { from }),
  ...(to && { to }),
  ...(currency && { currency }),
});

export function useStatement(partnerId: string, filters: Filters) {
  const { program } = useProgram();
  const query = statementQuery(filters);
  return useQuery(`program ${program.id} statement ${partnerId} ${JSON.stringify(query)}`, (signal) => {
    const param = { programId: String(program.id), partnerId };
    return take(
      api.programs[":programId"].partners[":partnerId"].statement.$get({ param, query }, { init: { signal } }),
    );
  });
}

export type Statement = NonNullable<ReturnType<typeof useStatement>["data"]>;
export type StatementEntry = Statement["data"]["entries"][number];
