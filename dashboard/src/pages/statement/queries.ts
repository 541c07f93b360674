import { api, take } from "../../api/client.ts";
import { useProgramQuery } from "../../api/use-program-query.ts";
import { statementQuery } from "../../components/statement/statement-query.ts";
import type { Filters } from "../../url.ts";

export function useStatement(partnerId: string, filters: Filters) {
  const { statement } = api.programs[":programId"].partners[":partnerId"];
  return useProgramQuery(`statement ${partnerId}`, statementQuery(filters), ({ param, query }, init) =>
    take(statement.$get({ param: { ...param, partnerId }, query }, init)),
  );
}
