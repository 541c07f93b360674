import { api, take } from "../../api/client.ts";
import { useMembers } from "../../api/members.ts";
import { useProgramQuery } from "../../api/use-program-query.ts";
import type { Program } from "../../session.tsx";

/** A page of balances in a currency, with the highest payable amount first. */
export function useBalances(currency: string, cursor: string | undefined) {
  const query = { currency, sort: "payable", ...(cursor && { cursor }) } as const;
  return useProgramQuery("balances", query, (call, init) => take(api.programs[":programId"].balances.$get(call, init)));
}

/** Reads only balances in which the amount isn't 0, the largest first. */
export function useBalancesWith(
  sort: "payable" | "pending" | "inPayout" | "carried",
  currency: string,
  cursor: string | undefined,
) {
  const query = { currency, sort, nonzero: "true", ...(cursor && { cursor }) } as const;
  return useProgramQuery("balances", query, (call, init) => take(api.programs[":programId"].balances.$get(call, init)));
}
export type BalancePage = NonNullable<ReturnType<typeof useBalances>["data"]>;
export type Balance = BalancePage["data"][number];
export type Totals = BalancePage["meta"]["totals"][number];

export function usePayouts(cursor: string | undefined) {
  const query = { ...(cursor && { cursor }) };
  return useProgramQuery("payouts", query, (call, init) => take(api.programs[":programId"].payouts.$get(call, init)));
}
export type Payout = NonNullable<ReturnType<typeof usePayouts>["data"]>["data"][number];

export function usePayout(payoutId: string) {
  return useProgramQuery("payout", payoutId, async ({ param }, init) => {
    const one = api.programs[":programId"].payouts[":payoutId"];
    return (await take(one.$get({ param: { ...param, payoutId }, query: {} }, init))).data;
  });
}
export type PayoutWithLines = NonNullable<ReturnType<typeof usePayout>["data"]>;
export type Line = PayoutWithLines["lines"][number];

/** Returns a function that gives a member's name by user ID. */
export function useNames(): (userId: string | null) => string {
  const { data } = useMembers();
  if (data === undefined) return () => "…";
  return (userId) =>
    userId?.startsWith("key ")
      ? "an API key"
      : (data.find((member) => member.userId === userId)?.name ?? "Former member");
}

/**
 * Prefixes of the query keys to read again after a change of a payout. A change affects balances and commissions too,
 * so all of the program's queries are read again.
 */
export const affected = ({ id }: Pick<Program, "id">): readonly string[] => [`program ${id} `];
