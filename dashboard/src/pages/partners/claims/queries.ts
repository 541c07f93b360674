import { api, take } from "../../../api/client.ts";
import { useProgramQuery } from "../../../api/use-program-query.ts";
import type { Filters } from "../../../url.ts";

export const statuses = [
  ["open", "Waiting"],
  ["theirs", "Credited"],
  ["declined", "Declined"],
] as const;
export type Status = (typeof statuses)[number][0];

export const everyStatus = "all";

/** The status in the filters. Undefined: every status. */
export const statusOf = ({ status }: Filters): Status | undefined =>
  status === everyStatus ? undefined : (statuses.find(([each]) => each === status)?.[0] ?? "open");

export const useClaims = (filters: Filters) =>
  useProgramQuery(
    "claims",
    {
      ...(statusOf(filters) && { status: statusOf(filters) }),
      ...(filters.partnerId && { partnerId: filters.partnerId }),
      ...(filters.cursor && { cursor: filters.cursor }),
    },
    (call, init) => take(api.programs[":programId"].claims.$get(call, init)),
  );

export type Claim = NonNullable<ReturnType<typeof useClaims>["data"]>["data"][number];
export type NearbySale = Claim["candidates"][number];

/** True if the sale is attributed to the claim's partner, and can't move to another. */
export const isInTheirList = ({ partner }: NearbySale): boolean => partner?.isThis === true && partner.isConfirmed;

/** True if the sale is attributed to another partner, and its customer can't move to the claim's partner. */
export const isOfOthers = ({ partner }: NearbySale): boolean => partner?.isThis === false && partner.isConfirmed;

/** Reads up to 50 sales around the day of the claim. */
export function useSalesAround({ partner, day, amountCents, currency }: Claim) {
  const query = {
    day,
    ...(amountCents !== null && { amountCents: String(amountCents) }),
    ...(currency && { currency }),
  };
  return useProgramQuery(`missing sale of ${partner.id}`, query, async ({ param }, init) => {
    const search = api.programs[":programId"].partners[":partnerId"]["missing-sale"];
    return (await take(search.$get({ param: { ...param, partnerId: String(partner.id) }, query }, init))).data;
  });
}
