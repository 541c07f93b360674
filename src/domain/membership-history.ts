import type { Membership } from "./policy-in-force.ts";

/** A sale from before them is decided by a read of its own. */
export const newestMembershipsKept = 10;

/** Of one partner's groups: the newest ones, without a gap. */
export interface MembershipHistory {
  readonly newest: readonly Membership[];
  readonly isWhole: boolean;
}

export const noMemberships: MembershipHistory = { newest: [], isWhole: true };

/** `memberships`: the newest ones, the newest first, and one behind them if there is any. */
export const membershipHistory = (memberships: readonly Membership[]): MembershipHistory => ({
  newest: memberships.slice(0, newestMembershipsKept),
  isWhole: memberships.length <= newestMembershipsKept,
});

/** True if no membership that isn't kept can tell the group at `at`. */
export const isGroupKept = ({ newest, isWhole }: MembershipHistory, at: number): boolean =>
  isWhole || newest.some(({ effectiveFrom }) => effectiveFrom <= at);
