import { bold } from "../output.ts";
import { type EventType, types } from "./event.ts";
import { type Entry, type Outcome, outcomes } from "./journal.ts";

type Counts = Record<Outcome, number>;
export type Problem = Pick<Entry, "line" | "outcome" | "message">;

/** Maximum number of problems to print. The journal contains the others. */
const shownProblems = 20;

/** The outcomes of the lines so far. */
export interface Tally {
  /** Number of lines, including those that an earlier run completed. */
  lines: number;
  doneBefore: number;
  readonly byType: Readonly<Record<EventType | "faulty", Counts>>;
  /** The first problems only. */
  readonly problems: Problem[];
}

const none = (): Counts => ({ ok: 0, duplicate: 0, conflict: 0, refused: 0 });

export const createTally = (): Tally => ({
  lines: 0,
  doneBefore: 0,
  byType: { click: none(), lead: none(), sale: none(), refund: none(), faulty: none() },
  problems: [],
});

export function count(tally: Tally, type: EventType | "faulty", problem: Problem): void {
  const { outcome } = problem;
  tally.lines += 1;
  tally.byType[type][outcome] += 1;
  if ((outcome === "conflict" || outcome === "refused") && tally.problems.length < shownProblems) {
    tally.problems.push(problem);
  }
}

export const total = ({ byType }: Tally, outcome: Outcome): number =>
  Object.values(byType).reduce((sum, counts) => sum + counts[outcome], 0);

export const problemCount = (tally: Tally): number => total(tally, "conflict") + total(tally, "refused");

export function inWords(tally: Tally, journal: string): string {
  const row = (name: string, cells: readonly (string | number)[]) =>
    name.padEnd(8) + cells.map((cell) => String(cell).padStart(11)).join("");
  const kinds = [...types, "faulty" as const].filter((type) =>
    outcomes.some((outcome) => tally.byType[type][outcome] > 0),
  );
  const left = problemCount(tally) - tally.problems.length;
  return [
    row("", outcomes),
    ...kinds.map((type) =>
      row(
        type,
        outcomes.map((outcome) => tally.byType[type][outcome]),
      ),
    ),
    bold(
      row(
        "all",
        outcomes.map((outcome) => total(tally, outcome)),
      ),
    ),
    ...(tally.doneBefore > 0 ? [`\n${tally.doneBefore} of them were completed before this run.`] : []),
    ...(tally.problems.length > 0 ? [""] : []),
    ...tally.problems.map(({ line, outcome, message }) => `line ${line}: ${outcome}: ${message}`),
    ...(left > 0 ? [`and ${left} more: see ${journal}`] : []),
  ].join("\n");
}
