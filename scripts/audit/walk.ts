export interface FinalizedLine {
  readonly line: number;
  readonly payout: number;
  readonly cut: number;
  readonly finalized: number;
  /**
   * The number at which the line ended: the number of its cancellation, of its return to the partner's balance, or of
   * the entry for its returned payment. Null while the line is live.
   */
  readonly ended: number | null;
}

/** The numbers above `after`, up to and including `upTo`. */
export interface Numbers {
  readonly after: number;
  readonly upTo: number;
}

export interface HeldNumbers extends Numbers {
  readonly line: number;
  readonly payout: number;
}

/** A live line, with the state of the other lines when it was finalized. */
export interface WalkedLine {
  readonly line: number;
  readonly finalized: number;
  readonly held: readonly Numbers[];
  /** The numbers after the line's cutoff that no live line held when this line was finalized. */
  readonly later: readonly Numbers[];
  /**
   * Of the other lines that were live when this line was finalized, the number at which the last one was finalized. 0
   * if there was none.
   */
  readonly lastFinalized: number;
  /**
   * Of the other lines that were live when this line was finalized, the number at which the first one ended. Null if
   * none has ended.
   */
  readonly firstEnded: number | null;
}

interface Walk {
  readonly lines: readonly WalkedLine[];
  /** The reserved numbers, sorted by the ends of their ranges. */
  readonly held: readonly HeldNumbers[];
}

/**
 * Processes the finalized lines of a partner and currency in order of their numbers. When a line is finalized, it
 * reserves all free numbers up to its cutoff, until it ends.
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

/** Returns the free numbers of a range. `held` must be sorted by the ends of its ranges. */
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
