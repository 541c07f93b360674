import { api, take } from "./client.ts";
import { useProgramQuery } from "./use-program-query.ts";

const maxFound = 20;

/** Searches partners by name, code or email. */
export function usePartnerSearch(text: string | undefined) {
  const search = text?.trim();
  const query = { limit: String(maxFound), ...(search && { search }) };
  return useProgramQuery(`partners found ${search}`, query, async (call, init) =>
    search === undefined ? [] : (await take(api.programs[":programId"].partners.$get(call, init))).data,
  );
}

/** Reads a partner; reads nothing if the id is empty. */
export function usePartner(partnerId: string) {
  return useProgramQuery("partners one", partnerId, async ({ param }, init) => {
    if (partnerId === "") return undefined;
    const one = api.programs[":programId"].partners[":partnerId"];
    return (await take(one.$get({ param: { ...param, partnerId } }, init))).data;
  });
}

export type PartnerWithBalances = NonNullable<ReturnType<typeof usePartner>["data"]>;
export type Partner = Omit<PartnerWithBalances, "balances" | "links" | "erased" | "next">;

/** Query keys to read again after a change of a partner. */
export const partnerQueryKeys = (programId: number): readonly string[] =>
  ["partners", "audit"].map((name) => `program ${programId} ${name}`);
