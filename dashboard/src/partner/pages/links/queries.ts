import { take } from "../../../api/client.ts";
import { usePartnerQuery } from "../../access.tsx";
import { partnerApi } from "../../client.ts";

/** The partner's codes. */
export function useLinks() {
  const { links } = partnerApi.programs[":programId"].partners[":partnerId"];
  return usePartnerQuery("links", {}, (call, init) => take(links.$get(call, init)));
}

export type OwnOffer = NonNullable<NonNullable<ReturnType<typeof useLinks>["data"]>["meta"]["offer"]>;
export type Link = NonNullable<ReturnType<typeof useLinks>["data"]>["data"][number];
/** A link with a destination. */
export type WorkingLink = Link & { readonly link: string };

export const isWorking = (link: Link): link is WorkingLink => link.status === "active" && link.link !== null;
