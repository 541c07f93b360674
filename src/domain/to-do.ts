/** Counting stops here, for each kind. */
export const maxCounted = 1_000;

export const toDoKinds = [
  "applications",
  "held",
  "unconfirmed",
  "payable",
  "draft",
  "unpaid",
  "details",
  "webhooks",
] as const;
export type ToDoKind = (typeof toDoKinds)[number];

interface Amount {
  readonly currency: string;
  readonly cents: bigint;
}

/** Tasks for a program's team. */
export interface ToDo {
  readonly kind: ToDoKind;
  /** Number of applications, commissions, partners, payouts or webhooks, at most `maxCounted`. */
  readonly count: number;
  /** There are more than are counted. */
  readonly hasMore: boolean;
  /** The amounts by currency. Empty if not everything was counted. */
  readonly amounts: readonly Amount[];
  /** Instant of the oldest (ms). */
  readonly since: number | null;
  /** Display names of the oldest few: a name, a reference, a host. */
  readonly names: readonly string[];
  /** The only one. Null if there are several. */
  readonly onlyId: number | null;
  /** For `payable`: number of partners without an account and an address to pay to. */
  readonly withoutDetails: number;
  /** For `unconfirmed`: number of commissions that `held` counts too. */
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

/** Most money first, in the program's currency and then in others. Then tasks without amounts, in their order. */
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
