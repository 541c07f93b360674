import type { Policy } from "./commission.ts";
import type { GroupId, PartnerId } from "./ids.ts";

/** Whose policy it is. */
export type PolicyOwner =
  | { readonly of: "program" }
  | { readonly of: "group"; readonly groupId: GroupId }
  | { readonly of: "partner"; readonly partnerId: PartnerId };

/** More than any policy needs that a person sets; a sale from before them is decided by a read of its own. */
export const newestVersionsKept = 10;

/** Of one owner's versions: the newest ones, without a gap, and the first. */
export interface PolicyHistory {
  readonly newest: readonly Policy[];
  readonly first: Policy | undefined;
  readonly isWhole: boolean;
}

/** `versions`: the newest ones, the newest first, and the first one behind them. */
export const policyHistory = (versions: readonly Policy[]): PolicyHistory => ({
  newest: versions.slice(0, newestVersionsKept),
  first: versions.at(-1),
  isWhole: versions.length <= newestVersionsKept,
});

/** True if no version that isn't kept can be the one in force at `at` among those up to `upTo`. */
export const isKept = ({ newest, isWhole }: PolicyHistory, at: number, upTo: number): boolean =>
  isWhole || newest.some(({ effectiveFrom, version }) => effectiveFrom <= at && version <= upTo);

export const versionsKept = ({ newest, first, isWhole }: PolicyHistory): readonly Policy[] =>
  isWhole || first === undefined ? newest : [...newest, first];
