import { paramOf, useProgram } from "../session.tsx";
import { type Query, type QueryOptions, useQuery } from "./use-query.ts";

/** Type of `$get`: its arguments, and the signal that aborts it. */
type Load<Wanted, T> = (
  call: { readonly param: { readonly programId: string }; readonly query: Wanted },
  options: { readonly init: { readonly signal: AbortSignal } },
) => Promise<T>;

/** Reads data of the page's program. The query's key is `program <id> <name> <query>`. */
export function useProgramQuery<Wanted, T>(
  name: string,
  query: Wanted,
  load: Load<Wanted, T>,
  options?: QueryOptions<T>,
): Query<T> {
  const { program } = useProgram();
  const key = `program ${program.id} ${name} ${JSON.stringify(query)}`;
  return useQuery(key, (signal) => load({ param: paramOf(program), query }, { init: { signal } }), options);
}
