import { voidReasons } from "../../../../src/domain/commission.ts";
import { api, take } from "../../api/client.ts";
import { useQuery } from "../../api/use-query.ts";
import type { Sorting } from "../../components/sorting.tsx";
import { type Program, useProgram } from "../../session.tsx";
import type { Filters } from "../../url.ts";
import { saleDays } from "./sale-period.ts";

export const statuses = ["pending", "approved", "paid", "rejected", "reversed", "void"] as const;
export type Status = (typeof statuses)[number];

export const statusOf = ({ status }: Filters): Status => statuses.find((each) => each === status) ?? "pending";

export const sortingOf = ({ sort, order }: Filters): Sorting<"date" | "amount"> => ({
  sort: sort === "amount" ? "amount" : "date",
  order: order === "asc" ? "asc" : "desc",
});

/** Ignores values that the service doesn't know. */
export function listQuery(filters: Filters, { timezone }: Pick<Program, "timezone">) {
  const { partnerId, currency } = filters;
  const status = statusOf(filters);
  const reason = status === "void" ? voidReasons.find((each) => each === filters.reason) : undefined;
  return {
    status,
    ...sortingOf(filters),
    ...saleDays(filters, timezone),
    ...(partnerId && { partnerId }),
    ...(currency && { currency }),
    ...(reason && { reason }),
  };
}

const paramOf = ({ id }: Pick<Program, "id">) => ({ programId: String(id) });

/** `every status` leaves out what has no commission. */
export function useCommissions(filters: Filters, scope: "one status" | "every status" = "one status") {
  const { program } = useProgram();
  const { status, ...others } = { ...listQuery(filters, program), ...(filters.cursor && { cursor: filters.cursor }) };
  const query = scope === "every status" ? others : { ...others, status };
  return useQuery(`program ${program.id} commissions ${JSON.stringify(query)}`, (signal) =>
    take(api.programs[":programId"].commissions.$get({ param: paramOf(program), query }, { init: { signal } })),
  );
}
export type Commission = NonNullable<ReturnType<typeof useCommissions>["data"]>["data"][number];

export function useCommission(commissionId: string) {
  const { program } = useProgram();
  const param = { ...paramOf(program), commissionId };
  return useQuery(`program ${program.id} commission ${commissionId}`, async (signal) => {
    const one = api.programs[":programId"].commissions[":commissionId"];
    return (await take(one.$get({ param }, { init: { signal } }))).data;
  });
}

/** Of every status, currency and reason: only the partner and the days narrow them. */
export function useTotals(filters: Filters) {
  const { program } = useProgram();
  const { partnerId } = filters;
  const query = { ...saleDays(filters, program.timezone), ...(partnerId && { partnerId }) };
  return useQuery(`program ${program.id} totals ${JSON.stringify(query)}`, async (signal) => {
    const { totals } = api.programs[":programId"].commissions;
    return (await take(totals.$get({ param: paramOf(program), query }, { init: { signal } }))).data;
  });
}
export type Total = NonNullable<ReturnType<typeof useTotals>["data"]>[number];
