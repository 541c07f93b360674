import type { entryKinds } from "./commission-status.ts";

type EntryKind = (typeof entryKinds)[number];

/** The kinds of entries that each sum of a statement counts. */
export const sumKinds = {
  earned: ["earned", "moved"],
  refunded: ["reversed", "restored", "rejected"],
  adjusted: ["adjusted"],
  returned: ["returned"],
  paid: ["paid"],
} as const satisfies Readonly<Record<string, readonly EntryKind[]>>;
export type SumName = keyof typeof sumKinds;

/** `opening` is the balance before the statement's entries, `closing` the balance after them. */
type ShownName = SumName | "opening" | "closing";
export type ClosingSums = Readonly<Record<`${ShownName}Cents`, number>>;

const titles: Readonly<Record<ShownName, string>> = {
  opening: "Brought forward",
  earned: "Earned",
  refunded: "Refunded, declined or corrected",
  adjusted: "Bonuses and deductions",
  returned: "Returned payments",
  paid: "Paid",
  closing: "Carried forward",
};

const shownIfAny: readonly string[] = ["refunded", "adjusted", "returned"];

type ShownSum = readonly [title: string, amountCents: number, name: ShownName];

/** The sums at the end of a statement, in order. Page and mail show the same ones. */
export const shownSums = (sums: ClosingSums): readonly ShownSum[] =>
  (Object.keys(titles) as ShownName[]).flatMap((name): readonly ShownSum[] => {
    const cents = sums[`${name}Cents`];
    if (cents === 0 && shownIfAny.includes(name)) return [];
    // Refunds can be canceled, so their sum may add to what was earned.
    return [[name === "refunded" && cents > 0 ? "Canceled refunds" : titles[name], cents, name]];
  });
