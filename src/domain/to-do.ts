import type { Unit } from "./units.ts";

/** The highest count for each kind. Counting stops there. */
export const maxCounted = 1_000;

export const toDoKinds = [
  "applications",
  "claims",
  "held",
  "unconfirmed",
  "payable",
  "draft",
  "unpaid",
  "bonuses",
  "details",
  "webhooks",
] as const;
export type ToDoKind = (typeof toDoKinds)[number];

interface Amount {
  readonly currency: string;
  readonly cents: bigint;
  /** Set in an email if the amount is in a unit. */
  readonly unit?: Unit | undefined;
}

/** Tasks for a program's team, all of one kind. */
export interface ToDo {
  readonly kind: ToDoKind;
  /** The number of applications, claims, commissions, partners, payouts, due bonuses or webhooks, at most `maxCounted`. */
  readonly count: number;
  /** True if there are more than `count`. */
  readonly hasMore: boolean;
  /** The amounts by currency. Empty if there are more than `count`. */
  readonly amounts: readonly Amount[];
  /** The instant of the oldest task (ms). */
  readonly since: number | null;
  /** Display names of the oldest tasks: a name, a reference or a host. */
  readonly names: readonly string[];
  /** The id if there is only one. Null if there are several, and for `bonuses`. */
  readonly onlyId: number | null;
  /** For `payable`: how many partners have neither payment details nor an address to pay to. */
  readonly withoutDetails: number;
  /** For `unconfirmed`: how many of the commissions are also in `held`. */
  readonly heldToo: number;
}

export const noToDo = {
  count: 0,
  hasMore: false,
  amounts: [],
  since: null,
  names: [],
  onlyId: null,
  withoutDetails: 0,
  heldToo: 0,
} satisfies Omit<ToDo, "kind">;

/**
 * Sorts tasks by amount: first by the amount in the program's currency, then by amounts in other currencies. Tasks
 * without amounts come last, in their usual order.
 */
export function inOrderOfMoney(all: readonly ToDo[], currency: string): readonly ToDo[] {
  const inOwn = ({ amounts }: ToDo) => amounts.find((each) => each.currency === currency)?.cents ?? 0n;
  const inOthers = ({ amounts }: ToDo) => amounts.reduce((most, { cents }) => (cents > most ? cents : most), 0n);
  const descending = (a: bigint, b: bigint) => (a === b ? 0 : a > b ? -1 : 1);
  return all
    .filter(({ count }) => count > 0)
    .toSorted(
      (a, b) =>
        descending(inOwn(a), inOwn(b)) ||
        descending(inOthers(a), inOthers(b)) ||
        toDoKinds.indexOf(a.kind) - toDoKinds.indexOf(b.kind),
    );
}
