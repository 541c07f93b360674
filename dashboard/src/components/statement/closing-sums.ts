import { type ClosingSums, type SumName, sumKinds } from "#domain/statement-sums.ts";
import type { Statement } from "../../api/types.ts";
import type { StatementEntry } from "./entry-text.ts";

type Data = Statement["data"];

export const isSum = (name: string): name is SumName => name in sumKinds;

/** The entries that these sums count. */
export const entriesOf = ({ entries }: Data, ...sums: readonly SumName[]): readonly StatementEntry[] => {
  const kinds = sums.flatMap((sum): readonly StatementEntry["kind"][] => sumKinds[sum]);
  return entries.filter(({ kind }) => kinds.includes(kind));
};

export const totalOf = (entries: readonly StatementEntry[]): number =>
  entries.reduce((sum, { amountCents }) => sum + amountCents, 0);

/**
 * The sums at the end of a statement. The data's `paidCents` includes returned payments, which are shown as a separate
 * sum.
 */
export function closingSums(data: Data): ClosingSums {
  const returnedCents = totalOf(entriesOf(data, "returned"));
  return { ...data, returnedCents, paidCents: data.paidCents - returnedCents };
}
