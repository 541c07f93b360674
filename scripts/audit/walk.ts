export interface FinalizedLine {
  readonly line: number;
  readonly payout: number;
  readonly cut: number;
  readonly finalized: number;
  /**
   * The number at which the line ended: that of its cancellation, or of the entry that returned it. Null while it is
   * live.
   */
  readonly ended: number | null;
}

/** The numbers after `after`, up to and including `upTo`. */
export interface Numbers {
  readonly after: number;
  readonly upTo: number;
}

export interface HeldNumbers extends Numbers {
  readonly line: number;
  readonly payout: number;
}

/** A line that is still live, with the state in which it was finalized. */
export interface WalkedLine {
  readonly line: number;
  readonly finalized: number;
  readonly held: readonly Numbers[];
  /** Numbers after the line's cutoff that no line held which was live then. */
  readonly later: readonly Numbers[];
  /** Number at which the last line that was live then was finalized; 0 if there was none. */
  readonly lastFinalized: number;
  /** Number at which the first of the lines ended that were live then. Null if all of them are still live. */
  readonly firstEnded: number | null;
}

interface Walk {
  readonly lines: readonly WalkedLine[];
  /** The reserved numbers, sorted by their ends. */
  readonly held: readonly HeldNumbers[];
}

/**
 * Goes through the finalized lines of a partner and currency by their numbers: when a line is finalized, it reserves
 * everything free up to its cutoff, until it ends.
 */
export function walk(lines: readonly FinalizedLine[]): Walk {
  const begun = lines.map((line) => ({ number: line.finalized, line, isEnd: false }));
  const over = lines.flatMap((line) => (line.ended === null ? [] : [{ number: line.ended, line, isEnd: true }]));
  const walked: WalkedLine[] = [];
  const alive = new Set<FinalizedLine>();
  let held: readonly HeldNumbers[] = [];
  for (const { line, isEnd } of [...begun, ...over].sort((a, b) => a.number - b.number)) {
    if (isEnd) {
      alive.delete(line);
      held = held.filter((numbers) => numbers.line !== line.line);
      continue;
    }
    const { line: id, payout, cut, finalized } = line;
    const taken = freeAmong(held, { after: 0, upTo: cut });
    if (line.ended === null) {
      const ends = [...alive].flatMap(({ ended }) => ended ?? []);
      walked.push({
        line: id,
        finalized,
        held: taken,
        later: freeAmong(held, { after: cut, upTo: finalized }),
        lastFinalized: Math.max(0, ...[...alive].map((other) => other.finalized)),
        firstEnded: ends.length === 0 ? null : Math.min(...ends),
      });
    }
    held = [...held, ...taken.map((numbers) => ({ ...numbers, line: id, payout }))].sort((a, b) => a.upTo - b.upTo);
    alive.add(line);
  }
  return { lines: walked, held };
}

/** The numbers of a range that are free. `held` must be sorted by the ends. */
function freeAmong(held: readonly Numbers[], { after, upTo }: Numbers): readonly Numbers[] {
  const free: Numbers[] = [];
  let from = after;
  for (const numbers of held) {
    if (numbers.upTo <= from) continue;
    if (numbers.after >= upTo) break;
    if (numbers.after > from) free.push({ after: from, upTo: numbers.after });
    from = numbers.upTo;
  }
  return from < upTo ? [...free, { after: from, upTo }] : free;
}
