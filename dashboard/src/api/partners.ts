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

const maxFound = 20;

/** By name, code or email. */
export function usePartnerSearch(text: string | undefined) {
  const { program } = useProgram();
  const param = { programId: String(program.id) };
  const search = text?.trim();
  return useQuery(`program ${program.id} partners found ${search}`, async (signal) => {
    if (search === undefined) return [];
    const query = { limit: String(maxFound), ...(search && { search }) };
    return (await take(api.programs[":programId"].partners.$get({ param, query }, { init: { signal } }))).data;
  });
}

/** An empty id asks nothing. */
export function usePartner(partnerId: string) {
  const { program } = useProgram();
  const param = { programId: String(program.id), partnerId };
  return useQuery(`program ${program.id} partners one ${partnerId}`, async (signal) => {
    if (partnerId === "") return undefined;
    return (await take(api.programs[":programId"].partners[":partnerId"].$get({ param }, { init: { signal } }))).data;
  });
}

export type Partner = NonNullable<ReturnType<typeof useAllPartners>["data"]>[number];
