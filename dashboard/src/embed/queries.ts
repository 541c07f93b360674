import { take } from "../api/client.ts";
import { useQuery } from "../api/use-query.ts";
import { embedApi, header } from "./client.ts";

export const useOverview = () =>
  useQuery("overview", (signal) => take(embedApi.overview.$get({ header, query: {} }, { init: { signal } })));

export type Overview = NonNullable<ReturnType<typeof useOverview>["data"]>;

export const useLinks = () =>
  useQuery("links", (signal) => take(embedApi.links.$get({ header }, { init: { signal } })));

export type Links = NonNullable<ReturnType<typeof useLinks>["data"]>;
export type Link = Links["data"][number];

export const useCommissions = (cursor: string | undefined) =>
  useQuery(`commissions ${cursor ?? ""}`, (signal) =>
    take(
      embedApi.commissions.$get({ header, query: { ...(cursor !== undefined && { cursor }) } }, { init: { signal } }),
    ),
  );

/** Reads the commissions for sales in these days. */
export const useCommissionsOf = (days: { readonly from: string; readonly to: string }) =>
  useQuery(`commissions of ${days.from}`, (signal) =>
    take(embedApi.commissions.$get({ header, query: days }, { init: { signal } })),
  );

export type Commission = NonNullable<ReturnType<typeof useCommissions>["data"]>["data"][number];

export const usePayouts = (cursor: string | undefined) =>
  useQuery(`payouts ${cursor ?? ""}`, (signal) =>
    take(embedApi.payouts.$get({ header, query: { ...(cursor !== undefined && { cursor }) } }, { init: { signal } })),
  );

export type Payout = NonNullable<ReturnType<typeof usePayouts>["data"]>["data"][number];

export const useClaims = (cursor: string | undefined) =>
  useQuery(`claims ${cursor ?? ""}`, (signal) =>
    take(embedApi.claims.$get({ header, query: { ...(cursor !== undefined && { cursor }) } }, { init: { signal } })),
  );

export type Claim = NonNullable<ReturnType<typeof useClaims>["data"]>["data"][number];
