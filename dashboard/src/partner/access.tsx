import { createContext } from "preact";
import { useContext } from "preact/hooks";
import { api, take } from "../api/client.ts";
import { Failure } from "../api/failure.ts";
import { type Query, type QueryOptions, refresh, useQuery } from "../api/use-query.ts";
import { addressWith, type Filters } from "../url.ts";
import { partnerApi } from "./client.ts";

export const programsKey = "partner programs";

/** The partners that the account has access to. */
export const usePartnerPrograms = () =>
  useQuery(programsKey, (signal) => take(partnerApi.programs.$get({}, { init: { signal } })));

export type PartnerProgram = NonNullable<ReturnType<typeof usePartnerPrograms>["data"]>["data"][number];

export interface PartnerPath {
  readonly programId: string;
  readonly partnerId: string;
}

/** Reads a partner for an owner who views the partner's pages. */
export const useViewedPartner = ({ programId, partnerId }: PartnerPath) =>
  useQuery(`viewed ${programId} ${partnerId}`, async (signal): Promise<Viewed> => {
    const init = { init: { signal } };
    const [{ data: program }, { data: partner }] = await Promise.all([
      take(api.programs[":programId"].$get({ param: { programId } }, init)),
      take(api.programs[":programId"].partners[":partnerId"].$get({ param: { programId, partnerId } }, init)),
    ]);
    return {
      programName: program.name,
      name: partner.name,
      role: "owner",
      status: program.status === "active" ? partner.status : program.status,
      isPaused: partner.status === "paused",
      currency: program.currency,
      termsPending: false,
    };
  });

type Viewed = Omit<PartnerProgram, "programId" | "partnerId" | "role" | "status"> & {
  readonly role: PartnerProgram["role"] | "owner";
  readonly status: string;
};

interface InPartner extends PartnerPath {
  readonly partner: Viewed;
}

export const PartnerContext = createContext<InPartner | undefined>(undefined);

/** The partner whose pages these are, and what the account may do there. */
export function usePartner() {
  const found = useContext(PartnerContext);
  if (found === undefined) throw new Error("only the pages of a partner know one");
  const { partner, programId, partnerId } = found;
  const isOwner = partner.role === "owner";
  return {
    partner,
    param: { programId, partnerId },
    isOwner,
    /** False for owners and for accounts with read-only access, and for paused partners. */
    mayWrite: partner.role === "manage" && partner.status === "active",
    /** Query parameters that every read needs. */
    view: isOwner ? ({ as: "owner" } as const) : {},
    address: (page: string, filters: Filters = {}): string =>
      partnerAddress(found, page, { ...filters, ...ownerView(isOwner) }),
  };
}

const ownerView = (isOwner: boolean): Filters => (isOwner ? { as: "owner" } : {});

export const partnerAddress = ({ programId, partnerId }: PartnerPath, page = "", filters: Filters = {}): string =>
  addressWith(`/partner/programs/${programId}/partners/${partnerId}${page && `/${page}`}`, filters);

/** Prefix of the query keys of everything that is read about a partner. */
export const partnerKey = ({ programId, partnerId }: PartnerPath): string => `partner ${programId} ${partnerId} `;

/** Reads data of the page's partner. If the access has ended, the shell says so. */
export function usePartnerQuery<Wanted extends object, T>(
  name: string,
  wanted: Wanted,
  load: (
    call: { readonly param: PartnerPath; readonly query: Wanted & { readonly as?: "owner" } },
    options: { readonly init: { readonly signal: AbortSignal } },
  ) => Promise<T>,
  options?: QueryOptions<T>,
): Query<T> {
  const { param, view } = usePartner();
  const key = `${partnerKey(param)}${name} ${JSON.stringify({ ...wanted, ...view })}`;
  const read = (signal: AbortSignal) =>
    load({ param, query: { ...wanted, ...view } }, { init: { signal } }).catch((error: unknown) => {
      if (error instanceof Failure && error.status === 404) refresh(programsKey);
      throw error;
    });
  return useQuery(key, read, options);
}
