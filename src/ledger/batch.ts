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
 * more than to run it. Each call's own stay in their order, and after those of the call, if any, that it is `behind`.
 */
export function joinWrites(
  lists: readonly (readonly Statement[])[],
  behind: readonly (number | undefined)[] = [],
): Writes {
  const all: Folded[] = [];
  const ends: number[] = [];
  for (const [owner, list] of lists.entries()) {
    let last = ends[behind[owner] ?? -1] ?? 0;
    for (const statement of list) {
      last = placeOf(statement, all, last);
      all[last]?.members.push({ owner, statement });
    }
    ends.push(last);
  }
  return { statements: all.map(joined), owners: all.map(({ members }) => members.map((member) => member.owner)) };
}

/** The same, each statement by itself: what is refused is then somebody's. */
export const separateWrites = (lists: readonly (readonly Statement[])[]): Writes => ({
  statements: lists.flat(),
  owners: lists.flatMap((list, owner) => list.map(() => [owner])),
});

export interface Reads {
  readonly statements: readonly Statement[];
  /** What each of the reads given has found. */
  rowsOf(results: readonly (readonly Row[])[]): readonly (readonly Row[])[];
}

/** The reads of several calls, as few statements: where calls look up the same, it is looked up once. */
export function joinReads(reads: readonly Read<unknown>[]): Reads {
  const all: Folded[] = [];
  const known = new Map<Fold, Map<string, number>>();
  /** For each read, the one that looks for it. */
  const lookers = reads.map((statement, owner) => {
    const { fold, args } = statement;
    const ofFold = fold && (known.get(fold) ?? new Map<string, number>());
    const key = JSON.stringify(args);
    const looker = ofFold?.get(key);
    if (looker !== undefined) return looker;
    if (fold !== undefined && ofFold !== undefined) known.set(fold, ofFold.set(key, owner));
    all[placeOf(statement, all, 0)]?.members.push({ owner, statement });
    return owner;
  });
  return {
    statements: all.map(joined),
    rowsOf(results) {
      const found: Row[][] = reads.map(() => []);
      for (const [i, { fold, members }] of all.entries()) {
        for (const row of results[i] ?? []) {
          const member = members[fold === undefined ? 0 : Number(row[0])];
          if (member !== undefined) found[member.owner]?.push(row);
        }
      }
      return lookers.map((looker) => found[looker] ?? []);
    },
  };
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
