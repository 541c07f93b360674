import { api, take } from "../../api/client.ts";
import { useMembers } from "../../api/members.ts";
import { useQuery } from "../../api/use-query.ts";
import { type Program, useProgram } from "../../session.tsx";

export const paramOf = ({ id }: Pick<Program, "id">) => ({ programId: String(id) });

/** In the program's currency by default, the highest payable amount first. */
export function useBalances(currency: string, cursor: string | undefined) {
  const { program } = useProgram();
  const query = { currency, sort: "payable", ...(cursor && { cursor }) } as const;
  return useQuery(`program ${program.id} balances ${JSON.stringify(query)}`, (signal) =>
    take(api.programs[":programId"].balances.$get({ param: paramOf(program), query }, { init: { signal } })),
  );
}
export type BalancePage = NonNullable<ReturnType<typeof useBalances>["data"]>;
export type Balance = BalancePage["data"][number];
export type Totals = BalancePage["meta"]["totals"][number];

export function usePayouts(cursor: string | undefined) {
  const { program } = useProgram();
  const query = { ...(cursor && { cursor }) };
  return useQuery(`program ${program.id} payouts ${cursor}`, (signal) =>
    take(api.programs[":programId"].payouts.$get({ param: paramOf(program), query }, { init: { signal } })),
  );
}
export type Payout = NonNullable<ReturnType<typeof usePayouts>["data"]>["data"][number];

export function usePayout(payoutId: string) {
  const { program } = useProgram();
  const param = { ...paramOf(program), payoutId };
  return useQuery(`program ${program.id} payout ${payoutId}`, async (signal) => {
    const one = api.programs[":programId"].payouts[":payoutId"];
    return (await take(one.$get({ param, query: {} }, { init: { signal } }))).data;
  });
}
export type PayoutWithLines = NonNullable<ReturnType<typeof usePayout>["data"]>;
export type Line = PayoutWithLines["lines"][number];

/** The name of a member by user ID. */
export function useNames(): (userId: string | null) => string {
  const { data } = useMembers();
  if (data === undefined) return () => "…";
  return (userId) => data.find((member) => member.userId === userId)?.name ?? "Former member";
}

/** Prefixes of the keys that a change of a payout affects: balances, payouts and commissions too. */
export const affected = ({ id }: Pick<Program, "id">): readonly string[] => [`program ${id} `];
