import type { Membership } from "./policy-in-force.ts";

/** A sale from before them needs another read. */
export const newestMembershipsKept = 10;

/** A partner's newest memberships, without a gap. */
export interface MembershipHistory {
  readonly newest: readonly Membership[];
  readonly isWhole: boolean;
}

export const noMemberships: MembershipHistory = { newest: [], isWhole: true };

/** `memberships`: the newest ones, newest first, and one before them if there is any. */
export const membershipHistory = (memberships: readonly Membership[]): MembershipHistory => ({
  newest: memberships.slice(0, newestMembershipsKept),
  isWhole: memberships.length <= newestMembershipsKept,
});

/** True if the cached memberships decide the group at `at`. */
export const isGroupKept = ({ newest, isWhole }: MembershipHistory, at: number): boolean =>
  isWhole || newest.some(({ effectiveFrom }) => effectiveFrom <= at);
