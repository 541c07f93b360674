import type { Fold, Read, Row, Statement } from "../store/statement.ts";

/** SQLite takes 32,766 values in a statement, and the widest table has 29 columns. */
const maxMembers = 1_000;

/** A statement that stands for some of those given, by their places. */
interface Folded {
  readonly fold: Fold | undefined;
  readonly members: Member[];
}
interface Member {
  readonly owner: number;
  readonly statement: Statement;
}

export interface Writes {
  readonly statements: readonly Statement[];
  /** For each statement, whose it is: places in the lists given. */
  readonly owners: readonly (readonly number[])[];
}

/**
 * The writes of several calls that depend on nothing of one another, as few statements: to read one costs the database
 * more than to run it. Each call's own stay in their order.
 */
export function foldWrites(lists: readonly (readonly Statement[])[]): Writes {
  const all: Folded[] = [];
  for (const [owner, list] of lists.entries()) {
    let last = 0;
    for (const statement of list) {
      last = placeOf(statement, all, last);
      all[last]?.members.push({ owner, statement });
    }
  }
  return { statements: all.map(joined), owners: all.map(({ members }) => members.map((member) => member.owner)) };
}

/** The same, each statement by itself: what is refused is then somebody's. */
export const unfoldedWrites = (lists: readonly (readonly Statement[])[]): Writes => ({
  statements: lists.flat(),
  owners: lists.flatMap((list, owner) => list.map(() => [owner])),
});

export interface Reads {
  readonly statements: readonly Statement[];
  /** What each of the reads given has found. */
  rowsOf(results: readonly (readonly Row[])[]): readonly (readonly Row[])[];
}

/** The reads of several calls, as few statements; what several ask for is read once. */
export function foldReads(reads: readonly Read<unknown>[]): Reads {
  const asked = askedOnce(reads);
  const all: Folded[] = [];
  for (const [owner, { statement }] of asked.entries()) {
    all[placeOf(statement, all, 0)]?.members.push({ owner, statement });
  }
  return {
    statements: all.map(joined),
    rowsOf(results) {
      const found: Row[][] = reads.map(() => []);
      for (const [i, { fold, members }] of all.entries()) {
        for (const row of results[i] ?? []) {
          const member = members[fold === undefined ? 0 : Number(row[0])];
          for (const reader of asked[member?.owner ?? -1]?.readers ?? []) found[reader]?.push(row);
        }
      }
      return found;
    },
  };
}

interface Asked {
  readonly statement: Statement;
  /** Those who ask for it: places in the list given. */
  readonly readers: number[];
}

function askedOnce(reads: readonly Read<unknown>[]): readonly Asked[] {
  const all: Asked[] = [];
  const byArgs = new Map<Fold, Map<string, Asked>>();
  for (const [reader, statement] of reads.entries()) {
    const ofMake = statement.fold && (byArgs.get(statement.fold) ?? new Map<string, Asked>());
    const args = JSON.stringify(statement.args);
    const known = ofMake?.get(args);
    known?.readers.push(reader);
    if (known !== undefined) continue;
    const asked = { statement, readers: [reader] };
    all.push(asked);
    if (statement.fold && ofMake) byArgs.set(statement.fold, ofMake.set(args, asked));
  }
  return all;
}

/** Where a statement can go: with its like, from a place on, or at the end. */
function placeOf({ fold }: Statement, all: Folded[], from: number): number {
  const place =
    fold === undefined
      ? -1
      : all.findIndex((each, i) => i >= from && each.fold === fold && each.members.length < maxMembers);
  return place === -1 ? all.push({ fold, members: [] }) - 1 : place;
}

function joined({ fold, members }: Folded): Statement {
  const [first, ...others] = members;
  if (first === undefined) throw new RangeError("a statement of nobody");
  if (fold === undefined || others.length === 0) return first.statement;
  return { sql: fold.sql(members.length), args: members.flatMap(({ statement }) => statement.args) };
}
