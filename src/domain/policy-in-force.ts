import type { Policy } from "./commission.ts";
import type { GroupId, PartnerId } from "./ids.ts";
import type { ReachedStep } from "./tiers.ts";

/** The group of a partner from `effectiveFrom` (ms) on. Null if the partner has none. */
export interface Membership {
  readonly groupId: GroupId | null;
  readonly effectiveFrom: number;
}

export interface Group {
  readonly id: GroupId;
  readonly name: string;
}

/** Fields of a version that decide whether it is in force. */
export type InForce = Pick<Policy, "partnerId" | "groupId" | "version" | "type" | "effectiveFrom">;

/** All policies and memberships that may decide a partner's sales. */
export interface PartnerPolicies {
  /** Versions of the policies of the program, the partner and the partner's groups, in any order. */
  readonly versions: readonly Policy[];
  /** In any order. Empty if no group has a policy. */
  readonly memberships: readonly Membership[];
  /** The partner's groups that have a policy. */
  readonly groups: readonly Group[];
  /** The steps that the partner has reached, newest first. Empty if no policy of the program has or had tiers. */
  readonly steps: readonly ReachedStep[];
}

export const noPartnerPolicies: PartnerPolicies = { versions: [], memberships: [], groups: [], steps: [] };

/** The partner's group at an instant (ms). */
export const groupAt = (memberships: readonly Membership[], at: number): GroupId | null =>
  memberships
    .filter(({ effectiveFrom }) => effectiveFrom <= at)
    .reduce<Membership | undefined>((a, b) => (a !== undefined && a.effectiveFrom > b.effectiveFrom ? a : b), undefined)
    ?.groupId ?? null;

const byVersion = (a: InForce, b: InForce): number => a.effectiveFrom - b.effectiveFrom || a.version - b.version;

const firstOf = <P extends InForce>(versions: readonly P[]): P | undefined => [...versions].sort(byVersion)[0];

const versionAt = <P extends InForce>(versions: readonly P[], at: number): P | undefined =>
  versions
    .filter(({ effectiveFrom }) => effectiveFrom <= at)
    .sort(byVersion)
    .at(-1);

const unlessNone = <P extends InForce>(policy: P | undefined): P | undefined =>
  policy?.type === "none" ? undefined : policy;

/** The owner's first version, if the owner's policy began only after `at`. */
const firstUnlessBegun = <P extends InForce>(versions: readonly P[], at: number): P | undefined =>
  versionAt(versions, at) === undefined ? unlessNone(firstOf(versions)) : undefined;

/**
 * Returns the policy version in force at `at` (ms). It is the first of these that exists:
 *
 * - the partner's own
 * - that of the group in which the partner was then
 * - the program's
 *
 * The version replaces the others completely. A sale older than the program's first version is decided by that first
 * version. If the program has no policy, the first version of the partner or the group decides. Undefined if there is
 * no version, or if the program's policy has ended.
 */
export function policyInForce<P extends InForce>(
  { versions, memberships }: { readonly versions: readonly P[]; readonly memberships: readonly Membership[] },
  partnerId: PartnerId,
  at: number,
): P | undefined {
  const groupId = groupAt(memberships, at);
  const own = versions.filter((policy) => policy.partnerId === partnerId);
  const ofGroup = versions.filter((policy) => groupId !== null && policy.groupId === groupId);
  const program = versions.filter((policy) => policy.partnerId === null && policy.groupId === null);
  const then = unlessNone(versionAt(own, at)) ?? unlessNone(versionAt(ofGroup, at));
  if (then !== undefined) return then;
  return program.length > 0
    ? unlessNone(versionAt(program, at) ?? firstOf(program))
    : (firstUnlessBegun(own, at) ?? firstUnlessBegun(ofGroup, at));
}
