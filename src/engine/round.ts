import type { KeyUse } from "../ledger/key-use.ts";
import type { SettingsCache } from "../ledger/settings-cache.ts";
import { authorize } from "../operations/authorize.ts";
import type { Commit, Context } from "../operations/operation.ts";
import type { Read, Row, Write } from "../store/statement.ts";
import { joinReads } from "./batch.ts";
import type { FencedWriter } from "./fenced-writer.ts";
import { LockSet } from "./lock-set.ts";
import type { Task, TaskMeta } from "./task.ts";

export const retryAfterSeconds = 2;

export interface InternalWrite {
  readonly writes: readonly Write[];
  onCommitted(): void;
  /** The database refuses the write at this index; the round goes on without all of them. */
  onRefused(index: number): void;
}

export interface RoundContext extends Context {
  readonly settings: SettingsCache;
  readonly keyUse: KeyUse;
  readonly onRound?: ((calls: number) => void) | undefined;
  report(event: string, error: unknown, operationId?: string): void;
}

export interface Decided {
  readonly task: Task;
  readonly commit: Commit<unknown>;
  readonly meta: TaskMeta;
  /** The previous call of the same chain, on whose result this decision rests. */
  readonly previous: Decided | undefined;
}

export type Gathered = Readonly<Record<string, unknown>>;
export type Results = ReadonlyMap<Task, Gathered>;

export interface Decisions {
  readonly decided: readonly Decided[];
  readonly deferred: readonly Task[];
  readonly locks: LockSet;
  readonly holdUntil: number | undefined;
}

export interface RoundCommit {
  /** Calls that its outcome answers. Those with the most writes come last. */
  readonly tasks: readonly Task[];
  readonly locks: LockSet;
  /** It changes settings, which have no locks: nothing is read until it is done. */
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

/** Refuses a call whose key is known to be invalid, before it takes a place in a round. Returns true if it did. */
export function rejectInvalidKey(task: Task, { settings }: RoundContext): boolean {
  const { call } = task;
  if (call.key === undefined || settings.program(call.key.programId) === undefined) return false;
  const caller = authorize(call.key, settings, call.at);
  if (!caller.ok) task.refuse(caller.refusal, { programId: call.key.programId });
  return !caller.ok;
}

/** Reads what the calls ask for and the settings that are not cached, in one request. */
export async function gather(all: readonly Task[], writer: FencedWriter, context: RoundContext): Promise<Results> {
  const tasks = all.filter((task) => !rejectInvalidKey(task, context));
  const missing = context.settings.missing(tasks.flatMap((task) => task.needs()));
  const gathered = tasks.map((task) => ({ task, reads: Object.entries(task.gather()) }));
  const reads: Read<unknown>[] = [
    ...missing.flatMap((setting) => setting.reads),
    ...gathered.flatMap((each) => each.reads.flatMap(([, read]) => (read === undefined ? [] : [read]))),
  ];
  const { statements, rowsOf } = joinReads(reads);
  const found = rowsOf(statements.length === 0 ? [] : await writer.read(statements));
  let at = 0;
  // Equal reads share their rows.
  const values = new Map<readonly Row[], unknown>();
  const decoded = (read: Read<unknown> | undefined) => {
    const rows = read && found[at++];
    if (rows === undefined) return undefined;
    if (!values.has(rows)) values.set(rows, read?.decode(rows));
    return values.get(rows);
  };

  for (const { need, reads: own } of missing) context.settings.learn(need, own.map(decoded), writer.sentSeq);
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
