import { useProgram } from "../session.tsx";
import { api, take } from "./client.ts";
import { useQuery } from "./use-query.ts";

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

export type PartnerWithBalances = NonNullable<ReturnType<typeof usePartner>["data"]>;
export type Partner = Omit<PartnerWithBalances, "balances">;
