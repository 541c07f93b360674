import { authorize } from "../operations/authorize.ts";
import type { Commit, Context } from "../operations/operation.ts";
import type { Read, Row, Write } from "../store/statement.ts";
import { joinReads, joinWrites, type Reads, separateWrites } from "./batch.ts";
import { type FencedWriter, RefusedStatement } from "./fenced-writer.ts";
import type { KeyUse } from "./key-use.ts";
import { LockSet } from "./lock-set.ts";
import type { SettingsCache, Wanted } from "./settings-cache.ts";
import type { Task, TaskMeta } from "./task.ts";

/** At most this many statements are committed together; a call with more goes alone. */
const maxStatements = 1_000;
/** A call that has looked again this often will not find it at all. */
const maxLooks = 8;
/** What a caller is told who is to send a call again. */
export const retryAfterSeconds = 2;

/** Writes of the Ledger itself, which a round takes along before those of its calls. */
export interface InternalWrite {
  readonly writes: readonly Write[];
  done(): void;
  /** The database refuses the write at this index; the chore is dropped. */
  refused(index: number): void;
}

export interface RoundContext extends Context {
  readonly settings: SettingsCache;
  readonly keyUse: KeyUse;
  /** Hears how many calls are committed together. */
  readonly onRound?: ((calls: number) => void) | undefined;
  /** Told of everything that went wrong in a way nobody expected. */
  report(event: string, error: unknown, operationId?: string): void;
}

export interface Decided {
  readonly task: Task;
  readonly commit: Commit<unknown>;
  readonly meta: TaskMeta;
  /** The call of its chain that it was decided after, by what that one leads to. */
  readonly behind: Decided | undefined;
}

/** What was read for each call. */
export type Gathered = Readonly<Record<string, unknown>>;
export type Results = ReadonlyMap<Task, Gathered>;

export interface Decisions {
  readonly decided: readonly Decided[];
  /** Calls for the next round, before any other. */
  readonly next: readonly Task[];
  /** What the decided keep until they are durable. */
  readonly held: LockSet;
  /** When the first hold that begins here ends. */
  readonly holdUntil: number | undefined;
}

/** A call whose key is known to be no good is refused before it takes a place or anything is read for it. */
export function isRejectedByKey(task: Task, { settings }: RoundContext): boolean {
  const { call } = task;
  if (call.key === undefined || settings.program(call.key.programId) === undefined) return false;
  const caller = authorize(call.key, settings, call.at);
  if (!caller.ok) task.refuse(caller.refusal, { programId: call.key.programId });
  return !caller.ok;
}

/** Reads what the calls ask for and what of the settings is not at hand, in one request. */
export async function gather(all: readonly Task[], writer: FencedWriter, context: RoundContext): Promise<Results> {
  const tasks = all.filter((task) => !isRejectedByKey(task, context));
  const wanted = context.settings.wanted(tasks.flatMap((task) => task.needs()));
  const gathered = tasks.map((task) => ({ task, reads: Object.entries(task.gather()) }));
  const reads: Read<unknown>[] = [
    ...wanted.flatMap((setting) => setting.reads),
    ...gathered.flatMap((each) => each.reads.flatMap(([, read]) => (read === undefined ? [] : [read]))),
  ];
  const { statements, rowsOf } = joinReads(reads);
  const found = rowsOf(statements.length === 0 ? [] : await writer.read(statements));
  let at = 0;
  const decoded = (read: Read<unknown> | undefined) => read?.decode(found[at++] ?? []);

  for (const { need, reads: own } of wanted) context.settings.learn(need, own.map(decoded), writer.sentSeq);
  return new Map(
    gathered.map(({ task, reads: own }) => {
      if (wanted.length > 0 || own.length > 0) task.roundTrips += 1;
      return [task, Object.fromEntries(own.map(([name, read]) => [name, decoded(read)]))];
    }),
  );
}

/**
 * Each call in its order; one that shares a lock with a change decided before it waits for the next round. So does one
 * that shares a lock with those `before`, whose writes may not have been done when its reads were, and with those that
 * wait for it themselves, in this round or not taken for it (`passed`): a lock has its calls in their order.
 */
export function decide(found: Results, before: LockSet, context: RoundContext, passed = new LockSet()): Decisions {
  const held = new LockSet();
  const waiting = new LockSet();
  const chains = new Map<string, Decided>();
  const decided: Decided[] = [];
  const next: Task[] = [];
  let statements = 0;
  for (const [task, read] of found) {
    const { chain } = task;
    const behind = chain === undefined ? undefined : chains.get(chain);
    const values = { ...read, ...behind?.commit.then };
    const locks = task.locks(values);
    // A call that was kept back comes before those that were not taken; what is new comes after them.
    const ahead = task.keptBack === undefined ? [before, waiting, passed] : [before, waiting];
    const isKept = ahead.some((each) => each.keepsFrom(locks)) || held.keepsFrom(locks, behind && chain);
    const outcome = statements >= maxStatements || isKept ? "wait" : decideOne(task, values, behind, context);
    if (outcome === undefined) continue;
    if (outcome === "wait") {
      task.keepBack(locks);
      waiting.add(locks);
      next.push(task);
      continue;
    }
    decided.push(outcome);
    statements += outcome.commit.writes.length;
    if (outcome.commit.writes.length === 0) continue;
    held.add(locks, chain);
    if (chain === undefined) continue;
    if (outcome.commit.then === undefined) chains.delete(chain);
    else chains.set(chain, outcome);
  }
  const holds = decided.flatMap(({ commit }) => (commit.holdUntil === undefined ? [] : [commit.holdUntil]));
  return { decided, next, held, holdUntil: holds.length === 0 ? undefined : Math.min(...holds) };
}

function decideOne(
  task: Task,
  values: Readonly<Record<string, unknown>>,
  behind: Decided | undefined,
  context: RoundContext,
): Decided | "wait" | undefined {
  const { call } = task;
  const authorized = call.key === undefined ? undefined : authorize(call.key, context.settings, call.at);
  if (authorized?.ok === false) {
    task.refuse(authorized.refusal, { programId: call.key?.programId });
    return undefined;
  }
  const caller = authorized?.value;
  if (caller?.keyId !== undefined) context.keyUse.note(caller.keyId, task.arrivedAt);
  try {
    const decision = task.decide(values, context);
    if (decision.kind === "retry") {
      if (task.looks >= maxLooks) throw new Error("a call keeps looking for what is not there");
      task.lookAgain(decision.missing);
      return "wait";
    }
    // It would be answered at once, by something that may still fail.
    if (behind !== undefined && (decision.kind === "refuse" || decision.writes.length === 0)) return "wait";
    if (decision.kind === "commit") {
      return { task, commit: decision, meta: { ...caller, programId: decision.programId }, behind };
    }
    task.refuse(decision.refusal, caller);
    return undefined;
  } catch (error) {
    context.report("ledger.decision_failed", error, call.operationId);
    task.refuse({ code: "internal" }, caller);
    return undefined;
  }
}

/**
 * Writes for all, and answers each when that is durable; a call whose statement the database refuses is refused alone,
 * and the rest is sent again. Those decided by what it leads to are to be sent again by their callers.
 */
export async function commit(
  decided: readonly Decided[],
  chores: readonly InternalWrite[],
  writer: FencedWriter,
  context: RoundContext,
): Promise<void> {
  context.onRound?.(decided.length);
  const idle = decided.filter(({ commit }) => commit.writes.length === 0);
  for (const { task, commit, meta } of idle) task.answer(commit.answer, meta);

  let calls = decided.filter(({ commit }) => commit.writes.length > 0);
  // Before the write, whose outcome may stay unknown: what is not held is read again.
  for (const { commit } of calls) if (commit.changes !== undefined) context.settings.beginChange(commit.changes);
  let own = [...chores];
  let isFolded = true;
  while (calls.length + own.length > 0) {
    const ofChores = own.flatMap((chore) => chore.writes);
    const lists = calls.map(({ commit }) => commit.writes);
    const ofCalls = isFolded
      ? joinWrites(
          lists,
          calls.map(({ behind }) => behind && calls.indexOf(behind)),
        )
      : separateWrites(lists);
    const looks = looksOf(calls, context);
    try {
      const results = await writer.write([...ofChores, ...ofCalls.statements, ...looks.statements]);
      for (const chore of own) chore.done();
      const found = results?.slice(ofChores.length + ofCalls.statements.length);
      await answerAll(calls, looks, found, writer, context);
      return;
    } catch (error) {
      if (!(error instanceof RefusedStatement)) throw error;
      if (error.index < ofChores.length) {
        const { owner, index } = ownerOf(own, error.index);
        owner.refused(index);
        own = own.filter((chore) => chore !== owner);
        continue;
      }
      const owners = new Set(ofCalls.owners[error.index - ofChores.length]);
      if (owners.size > 1) {
        isFolded = false;
        continue;
      }
      const refused = calls.find((_, i) => owners.has(i));
      if (refused === undefined) throw error;
      context.report("ledger.statement_refused", error.cause, refused.task.call.operationId);
      refused.task.refuse({ code: "internal" }, refused.meta);
      if (refused.commit.changes !== undefined) context.settings.endChange(refused.commit.changes);
      const restOnIt = calls.filter((call) => isBehind(call, refused));
      for (const { task, meta } of restOnIt) task.refuse({ code: "unavailable", retryAfterSeconds }, meta);
      calls = calls.filter((call) => call !== refused && !restOnIt.includes(call));
    }
  }
}

function isBehind({ behind }: Decided, other: Decided): boolean {
  return behind !== undefined && (behind === other || isBehind(behind, other));
}

interface Looks extends Reads {
  /** Settings that have changed. */
  readonly wanted: readonly Wanted[];
}

/** The looks that follow the writes of their batch: at what amends answers, then at the settings that have changed. */
function looksOf(calls: readonly Decided[], { settings }: RoundContext): Looks {
  const amends = calls.flatMap(({ commit }) => (commit.resolveAnswer === undefined ? [] : [commit.resolveAnswer.read]));
  const wanted = changesOf(calls).flatMap((change) => settings.wantedAfter(change));
  return { ...joinReads([...amends, ...wanted.flatMap(({ reads }) => reads)]), wanted };
}

const changesOf = (calls: readonly Decided[]) => calls.flatMap(({ commit }) => commit.changes ?? []);

/** Whose statement is at an index of all of theirs, and which of its own it is. */
export function ownerOf<T extends { readonly writes: readonly unknown[] }>(
  owners: readonly T[],
  index: number,
): { readonly owner: T; readonly index: number } {
  let left = index;
  for (const owner of owners) {
    if (left < owner.writes.length) return { owner, index: left };
    left -= owner.writes.length;
  }
  throw new RangeError("a batch has no such statement");
}

/** `results` are what the looks found, undefined where that was lost on the way and must be looked up. */
async function answerAll(
  calls: readonly Decided[],
  looks: Looks,
  results: readonly (readonly Row[])[] | undefined,
  writer: FencedWriter,
  { settings }: RoundContext,
): Promise<void> {
  const found = looks.rowsOf(looks.statements.length === 0 ? [] : (results ?? (await writer.read(looks.statements))));
  let looked = 0;
  const decoded = <T>(read: Read<T>): T => read.decode(found[looked++] ?? []);
  const answers = calls.map(({ commit: { resolveAnswer, answer } }) =>
    resolveAnswer === undefined ? answer : resolveAnswer.answer(decoded(resolveAnswer.read)),
  );
  for (const { need, reads } of looks.wanted) settings.learn(need, reads.map(decoded), writer.sentSeq);
  for (const change of changesOf(calls)) settings.endChange(change);
  for (const [i, { task, meta }] of calls.entries()) {
    task.roundTrips += 1;
    task.answer(answers[i], meta);
  }
}
