import { voidReasons } from "#domain/commission.ts";
import { raisedCodes } from "#domain/risk.ts";
import { api, take } from "../../api/client.ts";
import { useProgramQuery } from "../../api/use-program-query.ts";
import type { Sorting } from "../../components/sorting.tsx";
import { saleDays } from "../../sale-period.ts";
import { type Program, useProgram } from "../../session.tsx";
import type { Filters } from "../../url.ts";

export const statuses = ["pending", "approved", "paid", "rejected", "reversed", "void"] as const;
export type Status = (typeof statuses)[number];

export const chosenStatus = ({ status }: Filters): Status | undefined => statuses.find((each) => each === status);

export const statusOf = (filters: Filters): Status => chosenStatus(filters) ?? "pending";

/** The sorting of the list. Default for a payout: by partner, because a large payout is read fastest in that order. */
export const sortingOf = ({ sort, order, payoutId }: Filters): Sorting<"date" | "amount" | "partner"> =>
  payoutId && sort !== "amount" && sort !== "date"
    ? { sort: "partner", order: "asc" }
    : { sort: sort === "amount" ? "amount" : "date", order: order === "asc" ? "asc" : "desc" };

/** The query of the list. Values that the service doesn't know are ignored. */
export function listQuery(filters: Filters, { timezone }: Pick<Program, "timezone">) {
  const { partnerId, payoutId, currency } = filters;
  // All commissions of a payout have the status that belongs to the payout's state, so the default status doesn't
  // apply.
  const status = payoutId ? chosenStatus(filters) : statusOf(filters);
  const flag = isOfFlagged(filters)
    ? ("any" as const)
    : isOfHeld(filters)
      ? raisedCodes.find((each) => each === filters.flag)
      : undefined;
  const reason = status === "void" ? voidReasons.find((each) => each === filters.reason) : undefined;
  return {
    ...(status && { status }),
    ...sortingOf(filters),
    ...saleDays(filters, timezone),
    ...(partnerId && { partnerId }),
    ...(payoutId && { payoutId }),
    ...(currency && { currency }),
    ...(reason && { reason }),
    ...(isOfUnconfirmed(filters) && { unconfirmed: "true" as const }),
    ...(isOfHeld(filters) && { held: "true" as const }),
    ...(flag && { flag }),
  };
}

export const isOfHeld = (filters: Filters): boolean => filters.held === "true" && statusOf(filters) === "pending";

export const isOfFlagged = (filters: Filters): boolean =>
  filters.flag === "any" && statusOf(filters) === "pending" && !isOfHeld(filters);

export const isOfUnconfirmed = (filters: Filters): boolean =>
  filters.unconfirmed === "true" && statusOf(filters) === "pending" && !isOfHeld(filters);

/** Reads commissions. `every status` leaves out sales without a commission. */
export function useCommissions(filters: Filters, scope: "one status" | "every status" = "one status") {
  const { program } = useProgram();
  const view = { ...listQuery(filters, program), ...(filters.cursor && { cursor: filters.cursor }) };
  const { status: _, ...everyStatus } = view;
  const query = scope === "every status" ? everyStatus : view;
  return useProgramQuery("commissions", query, (call, init) =>
    take(api.programs[":programId"].commissions.$get(call, init)),
  );
}
export type Commission = NonNullable<ReturnType<typeof useCommissions>["data"]>["data"][number];

export function useCommission(commissionId: string) {
  return useProgramQuery("commission", commissionId, async ({ param }, init) => {
    const one = api.programs[":programId"].commissions[":commissionId"];
    return (await take(one.$get({ param: { ...param, commissionId } }, init))).data;
  });
}

/** The first page of held or flagged commissions among those that can be approved. Reads nothing without filters. */
export function useMarked(mark: "held" | "flagged", filters: Filters | undefined) {
  const { program } = useProgram();
  const asked = { ...filters, status: "pending", held: undefined, flag: undefined, cursor: undefined };
  const query = filters && {
    ...listQuery(asked, program),
    ...(mark === "held" ? { held: "true" as const } : { flag: "any" as const }),
  };
  return useProgramQuery(mark, { query }, async ({ param }, init) =>
    query === undefined ? undefined : take(api.programs[":programId"].commissions.$get({ param, query }, init)),
  );
}

/** Totals for every status, currency and reason. Only the filters for partner, payout and days apply. */
export function useTotals(filters: Filters) {
  const { program } = useProgram();
  const { partnerId, payoutId } = filters;
  const query = {
    ...saleDays(filters, program.timezone),
    ...(partnerId && { partnerId }),
    ...(payoutId && { payoutId }),
  };
  return useProgramQuery("totals", query, async (call, init) => {
    const { totals } = api.programs[":programId"].commissions;
    return (await take(totals.$get(call, init))).data;
  });
}
export type Total = NonNullable<ReturnType<typeof useTotals>["data"]>[number];

/** Totals of all pages of the list. */
export function totalsShown(totals: readonly Total[], filters: Filters): readonly Total[] {
  const { currency, reason } = filters;
  const status = statusOf(filters);
  const shown = totals.filter(
    (total) =>
      total.status === status &&
      (!currency || total.currency === currency) &&
      (status !== "void" || !reason || total.reason === reason),
  );
  if (isOfHeld(filters)) return onlyHeld(shown);
  return isOfUnconfirmed(filters) ? onlyUnconfirmed(shown) : shown;
}

export const withCommission = (totals: readonly Total[]): readonly Total[] =>
  totals.filter(({ status }) => status !== "void");

export const onlyUnconfirmed = (totals: readonly Total[]): readonly Total[] =>
  totals
    .filter(({ status, unconfirmed }) => status === "pending" && unconfirmed > 0)
    .map((total) => ({ ...total, count: total.unconfirmed, amountCents: total.unconfirmedCents }));

export const onlyHeld = (totals: readonly Total[]): readonly Total[] =>
  totals
    .filter(({ status, held }) => status === "pending" && held > 0)
    .map((total) => ({ ...total, count: total.held, amountCents: total.heldCents }));

export const countOf = (totals: readonly Pick<Total, "count">[]): number =>
  totals.reduce((sum, { count }) => sum + count, 0);
