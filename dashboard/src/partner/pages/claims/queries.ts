import { take } from "../../../api/client.ts";
import { Failure } from "../../../api/failure.ts";
import { partnerKey, usePartner, usePartnerQuery } from "../../access.tsx";
import { partnerApi } from "../../client.ts";
import { limitText } from "./limit-text.ts";

const route = () => partnerApi.programs[":programId"].partners[":partnerId"].claims;

export const useClaims = (cursor: string | undefined) =>
  usePartnerQuery("claims", { ...(cursor && { cursor }) }, (call, init) => take(route().$get(call, init)));

export type Claim = NonNullable<ReturnType<typeof useClaims>["data"]>["data"][number];

interface Report {
  readonly day: string;
  readonly amountCents?: number | undefined;
  readonly currency?: string | undefined;
  readonly reference?: string | undefined;
  readonly note?: string | undefined;
}

/** Returns the call that reports a missing sale, and the query keys to read again afterwards. */
export function useReport() {
  const { param } = usePartner();
  return {
    report: (json: Report) =>
      take(route().$post({ param, json })).catch((error: unknown) => {
        if (!(error instanceof Failure) || error.status !== 429) throw error;
        throw new Failure(409, { message: limitText(error) });
      }),
    refreshes: [`${partnerKey(param)}claims`],
  };
}
export type Reported = Awaited<ReturnType<ReturnType<typeof useReport>["report"]>>["data"];
