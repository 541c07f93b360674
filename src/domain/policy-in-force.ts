import type { Policy } from "./commission.ts";
import type { GroupId, PartnerId } from "./ids.ts";

/** A partner's group from `effectiveFrom` (ms) on. Null: no group. */
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

/** Everything that may decide a partner's sales. */
export interface PartnerPolicies {
  /** Versions for the program, the partner and the partner's groups, unordered. */
  readonly versions: readonly Policy[];
  /** Unordered. Empty if no group has a policy. */
  readonly memberships: readonly Membership[];
  /** The groups with a policy. */
  readonly groups: readonly Group[];
}

export const noPartnerPolicies: PartnerPolicies = { versions: [], memberships: [], groups: [] };

/** The partner's group at an instant. */
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

/** The first version of an owner whose policy had not begun. */
const firstUnlessBegun = <P extends InForce>(versions: readonly P[], at: number): P | undefined =>
  versionAt(versions, at) === undefined ? unlessNone(firstOf(versions)) : undefined;

/**
 * Returns the version in force at `at` (ms), which replaces the others as a whole: the partner's own, otherwise that of
 * the partner's group then, otherwise the program's. A sale older than the program's first version takes the first; if
 * the program has none, the first of the partner or of the group. Undefined if there is none, or if the program's
 * policy was ended.
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
