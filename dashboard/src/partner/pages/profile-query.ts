import { take } from "../../api/client.ts";
import { usePartnerQuery } from "../access.tsx";
import { partnerApi } from "../client.ts";

export function useProfile() {
  const { profile } = partnerApi.programs[":programId"].partners[":partnerId"];
  return usePartnerQuery("profile", {}, async (call, init) => (await take(profile.$get(call, init))).data);
}
export type OwnProfile = NonNullable<ReturnType<typeof useProfile>["data"]>;
