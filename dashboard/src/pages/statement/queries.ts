import { api, take } from "../../api/client.ts";
import { useQuery } from "../../api/use-query.ts";
import { useProgram } from "../../session.tsx";
import { addressWith, type Filters } from "../../url.ts";

const isDay = (text: string | undefined): text is string => /^\d{4}-\d\d-\d\d$/.test(text ?? "");

/** Ignores days that the service doesn't know. */
export const statementQuery = ({ from, to, currency }: Filters) => ({
  ...(isDay(from) && { from }),
  ...(isDay(to) && { to }),
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

export const statementCsvAddress = (programId: number, partnerId: string, filters: Filters): string =>
  addressWith(`/api/programs/${programId}/partners/${partnerId}/statement`, {
    ...statementQuery(filters),
    format: "csv",
  });
