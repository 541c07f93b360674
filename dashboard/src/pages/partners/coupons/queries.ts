import { api, take } from "../../../api/client.ts";
import { useProgramQuery } from "../../../api/use-program-query.ts";

interface Wanted {
  readonly partnerId?: string | undefined;
  readonly code?: string | undefined;
  readonly status?: string | undefined;
  readonly cursor?: string | undefined;
}

const statuses = ["active", "paused"] as const;

/** A page of coupons, newest first. */
export function useCoupons({ partnerId, code, status, cursor }: Wanted) {
  const known = statuses.find((each) => each === status);
  const query = {
    ...(partnerId && { partnerId }),
    ...(code && { code }),
    ...(known && { status: known }),
    ...(cursor && { cursor }),
  };
  return useProgramQuery("coupons", query, (call, init) => take(api.programs[":programId"].coupons.$get(call, init)));
}

export type Coupon = NonNullable<ReturnType<typeof useCoupons>["data"]>["data"][number];

/** Query keys to read again after a change of a coupon. */
export const couponQueryKeys = (programId: number): readonly string[] =>
  ["coupons", "audit"].map((name) => `program ${programId} ${name}`);
