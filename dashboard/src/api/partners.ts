import { useProgram } from "../session.tsx";
import { api, take } from "./client.ts";
import { useQuery } from "./use-query.ts";

export function useAllPartners() {
  const { program } = useProgram();
  const param = { programId: String(program.id) };
  return useQuery(`program ${program.id} every partner`, async (signal) => {
    const read = (cursor: string | undefined) =>
      take(
        api.programs[":programId"].partners.$get({ param, query: { ...(cursor && { cursor }) } }, { init: { signal } }),
      );
    const first = await read(undefined);
    const partners = [...first.data];
    for (let next = first.meta.nextCursor; next !== null; ) {
      const page = await read(next);
      partners.push(...page.data);
      next = page.meta.nextCursor;
    }
    return partners.sort((a, b) => a.name.localeCompare(b.name));
  });
}

export type Partner = NonNullable<ReturnType<typeof useAllPartners>["data"]>[number];
