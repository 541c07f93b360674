import type { Policy } from "./commission.ts";
import type { GroupId, PartnerId } from "./ids.ts";
import type { Membership } from "./policy-in-force.ts";

/** The owner of a policy. */
export type PolicyOwner =
  | { readonly of: "program" }
  | { readonly of: "group"; readonly groupId: GroupId }
  | { readonly of: "partner"; readonly partnerId: PartnerId };

/** More than the manual changes of any policy; a sale from before them needs another read. */
export const newestVersionsKept = 10;

/** The newest versions of an owner, without a gap, and the first one. */
export interface PolicyHistory {
  readonly newest: readonly Policy[];
  readonly first: Policy | undefined;
  readonly isWhole: boolean;
}

/** `versions`: the newest ones, newest first, and the first one before them. */
export const policyHistory = (versions: readonly Policy[]): PolicyHistory => ({
  newest: versions.slice(0, newestVersionsKept),
  first: versions.at(-1),
  isWhole: versions.length <= newestVersionsKept,
});

/** True if the cached versions decide which one is in force at `at` among those up to `upTo`. */
export const isKept = ({ newest, isWhole }: PolicyHistory, at: number, upTo: number): boolean =>
  isWhole || newest.some(({ effectiveFrom, version }) => effectiveFrom <= at && version <= upTo);

export const versionsKept = ({ newest, first, isWhole }: PolicyHistory): readonly Policy[] =>
  isWhole || first === undefined ? newest : [...newest, first];

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
