import type { Group } from "../api/groups.ts";
import { formatList, pluralize } from "../format.ts";
import { nameInText } from "../named-by-code.ts";

const groupsNamed = 3;

/** The partners and groups that may have their own commission instead of the program's. */
export interface Others {
  /** Number of partners with a custom commission. */
  readonly customPartners: number;
  /** All groups of the program. */
  readonly groups: readonly Group[];
}

/** Names the partners and groups with their own commission, the largest groups first. Empty if there are none. */
export function unaffectedText({ customPartners, groups }: Others): string {
  const own = groups.filter(({ policy }) => policy !== null).toSorted((a, b) => b.partners - a.partners);
  const left = own.length - groupsNamed;
  const texts = [
    customPartners > 0 && `${pluralize(customPartners, "partner")} with a custom commission`,
    ...own
      .slice(0, groupsNamed)
      .map(({ name, partners }) => `the group ${nameInText(name)} (${pluralize(partners, "partner")})`),
    left > 0 && pluralize(left, "more group"),
  ];
  return formatList(texts.filter((text) => text !== false));
}
