import type { Read, Row } from "#store/statement.ts";
import { joinReads } from "./batch.ts";
import { LockSet } from "./lock-set.ts";
import type { Commit, Gathered, Task } from "./task.ts";
import type { Writer } from "./writer.ts";

export const retryAfterSeconds = 2;

export interface Decided {
  readonly task: Task;
  readonly commit: Commit;
  /** The previous call of the same chain, whose result this decision is based on. */
  readonly previous: Decided | undefined;
}

export type Results = ReadonlyMap<Task, Gathered>;

export interface Decisions {
  readonly decided: readonly Decided[];
  readonly deferred: readonly Task[];
  readonly locks: LockSet;
  /** When the alarm must ring because of the commits (ms). Infinity if no commit needs it. */
  readonly ringAt: number;
}

export interface RoundCommit {
  /** The calls that this commit answers. Those with the most writes come last. */
  readonly tasks: readonly Task[];
  readonly locks: LockSet;
  /**
   * True if no reads may be sent until the commit is done, because it changes settings (which have no locks) or other
   * state that it hasn't locked.
   */
  readonly blocksReads: boolean;
  readonly isDone: boolean;
  readonly hasInternalWrites: boolean;
  readonly fault: unknown;
  /** Never rejects. An error is in `fault`. */
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

/** Sends the reads of all calls, and of settings that aren't cached, in one request. */
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
  // Equal reads share their rows. If they also have the same `decode`, they share the decoded value too.
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
