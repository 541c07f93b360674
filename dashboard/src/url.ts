import { useLocation } from "preact-iso/router";

export type Filters = Readonly<Record<string, string | undefined>>;

/** An address with filters; empty ones are left out. */
export function addressWith(path: string, filters: Filters): string {
  const kept = Object.entries(filters).flatMap(([name, value]) => (value ? [[name, value]] : []));
  return kept.length === 0 ? path : `${path}?${new URLSearchParams(kept)}`;
}

/** The filters that Overview, Partners, Explore and a partner's page share. Links between these pages keep them. */
export const periodFilters = ({ period, dateFrom, dateTo, currency }: Filters): Filters => ({
  period,
  dateFrom,
  dateTo,
  currency,
});

/** `replace` adds no history entry. Use it for changes of the view only, to which Back shouldn't return. */
type SetFilters = (changes: Filters, history?: "push" | "replace") => void;

/**
 * The filters in the query parameters, and a function that sets them. A change adds a history entry, and removes a
 * list's cursor, which belongs to the old filters.
 */
export function useFilters(): readonly [Filters, SetFilters] {
  const { query, path, route } = useLocation();
  const set: SetFilters = (changes, history = "push") =>
    route(addressWith(path, { ...query, cursor: undefined, ...changes }), history === "replace");
  return [query, set];
}

declare global {
  interface ImportMeta {
    readonly env: { readonly BASE_URL: string };
  }
}

/** Base path of the app: `/app/`, or `/partner/` for the partners' app. */
export const base = import.meta.env.BASE_URL;

/**
 * The address to return to after signing in. Only addresses of this app count, so that a crafted link can't redirect
 * elsewhere.
 */
export function returnAddress(address = base): string {
  const url = URL.parse(address, location.origin);
  const isOwn = url?.origin === location.origin && url.pathname.startsWith(base);
  return isOwn ? url.href.slice(url.origin.length) : base;
}

export const signInAddress = (from: string): string =>
  addressWith(`${base}sign-in`, { return: `${from}/` === base || from === base ? undefined : from });

/**
 * The address that signs the user in at the identity provider, then leads to `returnTo`. The service handles it, not
 * the app.
 */
export const providerAddress = (returnTo: string): string => addressWith("/api/auth/oidc", { returnTo });

export const programAddress = (programId: number | string, page: string): string =>
  `/app/programs/${programId}/${page}`;

export const settingsAddress = (programId: number | string, section?: string): string =>
  addressWith(programAddress(programId, "settings"), { section });

export const webhookAddress = (programId: number | string, webhookId: number | string): string =>
  addressWith(programAddress(programId, "settings"), { section: "webhooks", webhook: String(webhookId) });

export const partnerAddress = (programId: number | string, partnerId: number): string =>
  programAddress(programId, `partners/${partnerId}`);

/** Address of a partner's statement, which prints on A4. Default: the statement in the program's currency. */
export const statementAddress = (programId: number | string, partnerId: number, currency?: string): string =>
  addressWith(`${partnerAddress(programId, partnerId)}/statement`, { currency });

export const payoutAddress = (programId: number | string, payoutId: number): string =>
  programAddress(programId, `payouts/${payoutId}`);

/** Address of the commissions of a payout, or of one partner's line in it. */
export const payoutCommissionsAddress = (programId: number | string, payoutId: number, partnerId?: number): string =>
  addressWith(programAddress(programId, "commissions"), {
    payoutId: String(payoutId),
    partnerId: partnerId === undefined ? undefined : String(partnerId),
  });

export const searchAddress = (programId: number, text: string): string =>
  addressWith(programAddress(programId, "search"), { q: text });
