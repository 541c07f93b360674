import type { Policy } from "./commission.ts";
import type { GroupId, PartnerId } from "./ids.ts";
import type { Membership } from "./policy-in-force.ts";

/** The owner of a policy. */
export type PolicyOwner =
  | { readonly of: "program" }
  | { readonly of: "group"; readonly groupId: GroupId }
  | { readonly of: "partner"; readonly partnerId: PartnerId };

/** More versions than a policy usually has. A sale that an older version decides needs another read. */
export const newestVersionsKept = 10;

/** The cached versions of an owner's policy: the newest ones without gaps, and the first one. */
export interface PolicyHistory {
  readonly newest: readonly Policy[];
  readonly first: Policy | undefined;
  readonly isWhole: boolean;
}

/** `versions` are the newest ones, newest first, followed by the first one if it isn't among them. */
export const policyHistory = (versions: readonly Policy[]): PolicyHistory => ({
  newest: versions.slice(0, newestVersionsKept),
  first: versions.at(-1),
  isWhole: versions.length <= newestVersionsKept,
});

/**
 * True if the cached versions are enough to find the version in force at `at` (ms), among the versions up to number
 * `upTo`.
 */
export const isKept = ({ newest, isWhole }: PolicyHistory, at: number, upTo: number): boolean =>
  isWhole || newest.some(({ effectiveFrom, version }) => effectiveFrom <= at && version <= upTo);

export const versionsKept = ({ newest, first, isWhole }: PolicyHistory): readonly Policy[] =>
  isWhole || first === undefined ? newest : [...newest, first];

/** The number of memberships that are cached for a partner. A sale from before them needs another read. */
export const newestMembershipsKept = 10;

/** A partner's newest memberships in groups, without gaps. */
export interface MembershipHistory {
  readonly newest: readonly Membership[];
  readonly isWhole: boolean;
}

export const noMemberships: MembershipHistory = { newest: [], isWhole: true };

/** `memberships` are the newest ones, newest first, followed by one older membership if there is any. */
export const membershipHistory = (memberships: readonly Membership[]): MembershipHistory => ({
  newest: memberships.slice(0, newestMembershipsKept),
  isWhole: memberships.length <= newestMembershipsKept,
});

/** True if the cached memberships are enough to find the partner's group at `at` (ms). */
export const isGroupKept = ({ newest, isWhole }: MembershipHistory, at: number): boolean =>
  isWhole || newest.some(({ effectiveFrom }) => effectiveFrom <= at);
