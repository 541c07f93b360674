export interface FinalizedLine {
  readonly line: number;
  readonly payout: number;
  readonly cut: number;
  readonly finalized: number;
  /** The number of its cancellation, or of the entry that returned it. Null while it is live. */
  readonly ended: number | null;
}

/** Numbers after `after`, up to `upTo`. */
export interface Numbers {
  readonly after: number;
  readonly upTo: number;
}

export interface HeldNumbers extends Numbers {
  readonly line: number;
  readonly payout: number;
}

/** A line that is still live, as it was finalized. */
export interface WalkedLine {
  readonly line: number;
  readonly finalized: number;
  readonly held: readonly Numbers[];
  /** After its cut, in no line that was live then. */
  readonly later: readonly Numbers[];
  /** Finalization of the last line that was live then, or 0 if there was none. */
  readonly lastFinalized: number;
  /** When the first of the lines ended that were live then. Null: all of them are live still. */
  readonly firstEnded: number | null;
}

interface Walk {
  readonly lines: readonly WalkedLine[];
  /** Reserved numbers, sorted by their ends. */
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

/** `held` is by its ends. */
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
