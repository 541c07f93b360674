import type { MultiRow, Read, Row, Statement } from "#store/statement.ts";

/**
 * The most rows in one statement. SQLite limits a statement to 32,766 values, and `sales`, the widest table that gets
 * many rows in a round, has 32 columns.
 */
const maxParts = 1_000;

interface Joined {
  readonly multiRow: MultiRow | undefined;
  readonly parts: Part[];
}

interface Part {
  readonly owner: number;
  readonly statement: Statement;
}

export interface Writes {
  readonly statements: readonly Statement[];
  readonly owners: readonly (readonly number[])[];
}

/**
 * Combines the writes of several calls into a few statements, because compiling a statement costs the database more
 * than running it. Calls must not depend on each other, except on their `previous` call, whose writes come before
 * theirs. The writes of each call stay in order.
 */
export function joinWrites(
  lists: readonly (readonly Statement[])[],
  previous: readonly (number | undefined)[] = [],
): Writes {
  const all: Joined[] = [];
  const ends: number[] = [];
  for (const [owner, list] of lists.entries()) {
    // A combined statement can't change a row twice, so the statements of a call come after all statements of its
    // `previous` call.
    let last = (ends[previous[owner] ?? -1] ?? -1) + 1;
    for (const statement of list) {
      last = indexFor(statement, all, last);
      all[last]?.parts.push({ owner, statement });
    }
    ends.push(list.length === 0 ? last - 1 : last);
  }
  return { statements: all.map(joined), owners: all.map(({ parts }) => parts.map((part) => part.owner)) };
}

/** Doesn't combine statements, so that each one belongs to a single call. */
export const separateWrites = (lists: readonly (readonly Statement[])[]): Writes => ({
  statements: lists.flat(),
  owners: lists.flatMap((list, owner) => list.map(() => [owner])),
});

export interface Reads {
  readonly statements: readonly Statement[];
  rowsOf(results: readonly (readonly Row[])[]): readonly (readonly Row[])[];
}

export function joinReads(reads: readonly Read<unknown>[]): Reads {
  const all: Joined[] = [];
  const known = new Map<MultiRow, Map<string, number>>();
  const firstEqual = reads.map((statement, owner) => {
    const { multiRow, args } = statement;
    const ofMultiRow = multiRow && (known.get(multiRow) ?? new Map<string, number>());
    const key = JSON.stringify(args);
    const earlier = ofMultiRow?.get(key);
    if (earlier !== undefined) return earlier;
    if (multiRow !== undefined && ofMultiRow !== undefined) known.set(multiRow, ofMultiRow.set(key, owner));
    all[indexFor(statement, all, 0)]?.parts.push({ owner, statement });
    return owner;
  });
  return {
    statements: all.map(joined),
    rowsOf(results) {
      const found: Row[][] = reads.map(() => []);
      for (const [i, { multiRow, parts }] of all.entries()) {
        for (const row of results[i] ?? []) {
          const part = parts[multiRow === undefined ? 0 : Number(row[0])];
          if (part !== undefined) found[part.owner]?.push(row);
        }
      }
      return firstEqual.map((first) => found[first] ?? []);
    },
  };
}

function indexFor({ multiRow }: Statement, all: Joined[], from: number): number {
  const index =
    multiRow === undefined
      ? -1
      : all.findIndex((each, i) => i >= from && each.multiRow === multiRow && each.parts.length < maxParts);
  return index === -1 ? all.push({ multiRow, parts: [] }) - 1 : index;
}

function joined({ multiRow, parts }: Joined): Statement {
  const [first] = parts;
  if (first === undefined) throw new RangeError("a statement has no owner");
  if (multiRow === undefined) return first.statement;
  return multiRow.joined(parts.map(({ statement }) => statement.args));
}
