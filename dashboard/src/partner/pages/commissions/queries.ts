import { take } from "../../../api/client.ts";
import type { Filters } from "../../../url.ts";
import { usePartnerQuery } from "../../access.tsx";
import { partnerApi } from "../../client.ts";
import { statuses } from "./words.ts";

export const commissionsRoute = () => partnerApi.programs[":programId"].partners[":partnerId"].commissions;

/** The query of the list. A status that isn't known is left out. */
export const commissionQuery = ({ status, sub, from, to, cursor }: Filters) => ({
  ...(statusOf(status) && { status: statusOf(status) }),
  ...(sub && { sub }),
  ...(from && { from }),
  ...(to && { to }),
  ...(cursor && { cursor }),
});

const statusOf = (status: string | undefined) => statuses.find(([name]) => name === status)?.[0];

export type Wanted = ReturnType<typeof commissionQuery> & {
  readonly currency?: string;
  readonly inPayout?: "true" | "false";
};

export const useListed = (query: Wanted) =>
  usePartnerQuery("commissions", query, (call, init) => take(commissionsRoute().$get(call, init)));

export const useCommissions = (filters: Filters) => useListed(commissionQuery(filters));

export type Commission = NonNullable<ReturnType<typeof useCommissions>["data"]>["data"][number];
