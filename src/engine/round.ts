import type { Read, Row } from "#store/statement.ts";
import { joinReads } from "./batch.ts";
import { LockSet } from "./lock-set.ts";
import type { Commit, Gathered, Task } from "./task.ts";
import type { Writer } from "./writer.ts";

export const retryAfterSeconds = 2;

export interface Decided {
  readonly task: Task;
  readonly commit: Commit;
  /** The previous call of the same chain, on whose result this decision is based. */
  readonly previous: Decided | undefined;
}

export type Results = ReadonlyMap<Task, Gathered>;

export interface Decisions {
  readonly decided: readonly Decided[];
  readonly deferred: readonly Task[];
  readonly locks: LockSet;
  /** Infinity: no commit needs the alarm. */
  readonly ringAt: number;
}

export interface RoundCommit {
  /** Calls answered by its outcome, those with the most writes last. */
  readonly tasks: readonly Task[];
  readonly locks: LockSet;
  /** It changes settings, which have no locks, or state that it hasn't locked: nothing is read until it is done. */
  readonly blocksReads: boolean;
  readonly isDone: boolean;
  readonly hasInternalWrites: boolean;
  readonly fault: unknown;
  /** Never rejects: see `fault`. */
  readonly done: Promise<void>;
}

export const idleCommit: RoundCommit = {
  tasks: [],
  locks: new LockSet(),
  blocksReads: false,
  isDone: true,
  hasInternalWrites: false,
  fault: undefined,
  done: Promise.resolve(),
};

/** Reads for the calls, and the settings that are not cached, in one request. */
export async function gather(all: readonly Task[], writer: Writer): Promise<Results> {
  const tasks = all.filter((task) => !task.reject());
  const unread = new Map(tasks.flatMap((task) => task.unread().map((setting) => [setting.key, setting])));
  const missing = [...unread.values()].map((setting) => ({ setting, reads: setting.reads() }));
  const gathered = tasks.map((task) => ({ task, reads: Object.entries(task.gather()) }));
  const reads: Read<unknown>[] = [
    ...missing.flatMap(({ reads }) => reads),
    ...gathered.flatMap((each) => each.reads.flatMap(([, read]) => (read === undefined ? [] : [read]))),
  ];
  const { statements, rowsOf } = joinReads(reads);
  const found = rowsOf(statements.length === 0 ? [] : await writer.read(statements));
  let at = 0;
  // Equal reads share their rows, and their decoded result unless they decode differently.
  const values = new Map<readonly Row[], { readonly decode: unknown; readonly value: unknown }>();
  const decoded = (read: Read<unknown> | undefined) => {
    const rows = read && found[at++];
    if (read === undefined || rows === undefined) return undefined;
    const known = values.get(rows);
    if (known?.decode === read.decode) return known.value;
    const value = read.decode(rows);
    values.set(rows, { decode: read.decode, value });
    return value;
  };

  for (const { setting, reads: own } of missing) setting.learn(own.map(decoded), writer.sentSeq);
  return new Map(
    gathered.map(({ task, reads: own }) => {
      if (missing.length > 0 || own.length > 0) task.roundTrips += 1;
      const from = at;
      const gathering = [task, Object.fromEntries(own.map(([name, read]) => [name, decoded(read)]))] as const;
      task.noteRows(found.slice(from, at).reduce((rows, each) => rows + each.length, 0));
      return gathering;
    }),
  );
}
