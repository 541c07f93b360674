import { take } from "../../../api/client.ts";
import { useFilters } from "../../../url.ts";
import { usePartnerQuery } from "../../access.tsx";
import { partnerApi } from "../../client.ts";

export type Period = "7d" | "30d" | "90d" | "all";

/** Reads the overview in the currency of the address, or else the program's. */
export function useOverview(period: Period) {
  const [{ currency }] = useFilters();
  const { overview } = partnerApi.programs[":programId"].partners[":partnerId"];
  return usePartnerQuery("overview", { period, ...(currency && { currency }) }, (call, init) =>
    take(overview.$get(call, init)),
  );
}

export type Overview = NonNullable<ReturnType<typeof useOverview>["data"]>;
export type Day = Overview["data"]["days"][number];
export type Balance = Overview["data"]["balances"][number];
