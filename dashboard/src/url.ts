import { useLocation } from "preact-iso/router";

export type Filters = Readonly<Record<string, string | undefined>>;

/** An address with these filters; those that are empty are left out. */
export function addressWith(path: string, filters: Filters): string {
  const kept = Object.entries(filters).flatMap(([name, value]) => (value ? [[name, value]] : []));
  return kept.length === 0 ? path : `${path}?${new URLSearchParams(kept)}`;
}

/**
 * What stands in the URL behind the `?`: filters, the page of a list. A change of it is a step in the browser's history,
 * and drops the cursor, which belongs to the old filters.
 */
export function useFilters(): readonly [Filters, (changes: Filters) => void] {
  const { query, path, route } = useLocation();
  const set = (changes: Filters) => route(addressWith(path, { ...query, cursor: undefined, ...changes }));
  return [query, set];
}

/** Where to go back to after signing in: a place of this page, or its beginning. */
export const returnAddress = (address: string | undefined): string =>
  address?.startsWith("/app/") ? address : "/app/";

export const signInAddress = (from: string): string =>
  from === "/app/" || from === "/app" ? "/app/sign-in" : `/app/sign-in?${new URLSearchParams({ return: from })}`;

export const programAddress = (programId: number | string, page: string): string =>
  `/app/programs/${programId}/${page}`;
