import { take } from "../../../api/client.ts";
import type { Filters } from "../../../url.ts";
import { usePartnerQuery } from "../../access.tsx";
import { partnerApi } from "../../client.ts";
import { statuses } from "./words.ts";

const route = () => partnerApi.programs[":programId"].partners[":partnerId"].commissions;

/** The query of the list. A status that isn't known is left out. */
export const commissionQuery = ({ status, sub, from, to, cursor }: Filters) => ({
  ...(statusOf(status) && { status: statusOf(status) }),
  ...(sub && { sub }),
  ...(from && { from }),
  ...(to && { to }),
  ...(cursor && { cursor }),
});

const statusOf = (status: string | undefined) => statuses.find(([name]) => name === status)?.[0];

export const useCommissions = (filters: Filters) =>
  usePartnerQuery("commissions", commissionQuery(filters), (call, init) => take(route().$get(call, init)));

export type Commission = NonNullable<ReturnType<typeof useCommissions>["data"]>["data"][number];
