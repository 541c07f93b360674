import type { Read, Row, Statement } from "#store/statement.ts";
import { joinReads, joinWrites, type Reads, separateWrites, type Writes } from "./batch.ts";
import type { InternalWrite } from "./duty.ts";
import type { Reporter } from "./parts.ts";
import { type Decided, retryAfterSeconds } from "./round.ts";
import type { Setting } from "./task.ts";
import { RefusedStatement, type Results, Unreachable, type Writer } from "./writer.ts";

const isReadOnly = ({ writes, resolveAnswer }: Decided["commit"]): boolean =>
  writes.length === 0 && resolveAnswer === undefined;

interface Unwritten {
  readonly calls: readonly Decided[];
  readonly internalWrites: readonly InternalWrite[];
  readonly isJoined: boolean;
}

interface ReadBacks extends Reads {
  readonly changed: readonly { readonly setting: Setting; readonly reads: readonly Read<unknown>[] }[];
}

interface Batch {
  readonly calls: readonly Decided[];
  readonly ahead: readonly Statement[];
  readonly callWrites: Writes;
  readonly after: readonly Statement[];
  readonly readBacks: ReadBacks;
}

/**
 * Sends the writes of all calls, and answers each call as soon as the writes are durable. If the database refuses a
 * statement, only the call of that statement is refused, and the writes of all other calls are sent again. Calls whose
 * decisions depended on the refused call get `unavailable`, so that their callers retry.
 */
export async function commit(
  decided: readonly Decided[],
  internalWrites: readonly InternalWrite[],
  writer: Writer,
  { report, onRound }: Reporter,
): Promise<void> {
  onRound?.(decided.length);
  const readOnly = decided.filter(({ commit }) => isReadOnly(commit));
  for (const { task, commit } of readOnly) task.answer(commit.answer);

  const calls = decided.filter(({ commit }) => !isReadOnly(commit));
  // Changed settings are dropped from the cache before the write, because the outcome of the write may stay unknown.
  // They are read again when they are needed.
  for (const { commit } of calls) commit.change?.begin();
  let left: Unwritten = { calls, internalWrites, isJoined: true };
  while (left.calls.length + left.internalWrites.length > 0) {
    const batch = batchOf(left);
    const writes = statementsOf(batch);
    let results: Results | undefined;
    try {
      results = await writer.write([...writes, ...batch.readBacks.statements]);
    } catch (error) {
      if (!(error instanceof RefusedStatement)) throw error;
      left = withoutRefused(left, batch, error, report);
      continue;
    }
    for (const internal of left.internalWrites) internal.onCommitted();
    await answerAll(batch, results?.slice(writes.length), writer);
    return;
  }
}

function batchOf({ calls, internalWrites, isJoined }: Unwritten): Batch {
  const lists = calls.map(({ commit }) => commit.writes);
  const previous = calls.map((call) => call.previous && calls.indexOf(call.previous));
  return {
    calls,
    ahead: internalWrites.flatMap(({ writes }) => writes),
    callWrites: isJoined ? joinWrites(lists, previous) : separateWrites(lists),
    after: internalWrites.flatMap(({ afterCalls = [] }) => afterCalls),
    readBacks: readBacksOf(calls),
  };
}

const statementsOf = ({ ahead, callWrites, after }: Batch): readonly Statement[] => [
  ...ahead,
  ...callWrites.statements,
  ...after,
];

const allOf = ({ writes, afterCalls = [] }: InternalWrite) => [...writes, ...afterCalls];

/** Returns the reads that the answers need, followed by reads of the settings that have changed. */
function readBacksOf(calls: readonly Decided[]): ReadBacks {
  const amends = calls.flatMap(({ commit }) => (commit.resolveAnswer === undefined ? [] : [commit.resolveAnswer.read]));
  const changed = changesOf(calls)
    .flatMap((change) => change.settings())
    .map((setting) => ({ setting, reads: setting.reads() }));
  return { ...joinReads([...amends, ...changed.flatMap(({ reads }) => reads)]), changed };
}

const changesOf = (calls: readonly Decided[]) => calls.flatMap(({ commit }) => commit.change ?? []);

function withoutRefused(left: Unwritten, batch: Batch, error: RefusedStatement, report: Reporter["report"]): Unwritten {
  const statement = statementsOf(batch)[error.index];
  for (const internal of left.internalWrites) {
    const write = allOf(internal).find((each) => each === statement);
    if (write === undefined) continue;
    internal.onRefused(write);
    return { ...left, internalWrites: left.internalWrites.filter((each) => each !== internal) };
  }
  const owners = new Set(batch.callWrites.owners[error.index - batch.ahead.length]);
  if (owners.size > 1) return { ...left, isJoined: false };
  const refused = left.calls.find((_, i) => owners.has(i));
  if (refused === undefined) throw error;
  return { ...left, calls: refuseCall(refused, left.calls, error, report) };
}

function refuseCall(
  refused: Decided,
  calls: readonly Decided[],
  error: RefusedStatement,
  report: Reporter["report"],
): readonly Decided[] {
  const { task, commit } = refused;
  report("ledger.statement_refused", error.cause, task.id);
  task.refuse({ code: "internal" });
  commit.change?.end();
  const dependents = calls.filter((call) => dependsOn(call, refused));
  for (const each of dependents) each.task.refuse({ code: "unavailable", retryAfterSeconds });
  return calls.filter((call) => call !== refused && !dependents.includes(call));
}

function dependsOn({ previous }: Decided, other: Decided): boolean {
  return previous !== undefined && (previous === other || dependsOn(previous, other));
}

/**
 * `results` are the results of the batch's reads. They are undefined if the database's reply was lost. The reads are
 * then sent again.
 */
async function answerAll(
  { calls, readBacks }: Batch,
  results: readonly (readonly Row[])[] | undefined,
  writer: Writer,
): Promise<void> {
  const { statements, rowsOf, changed } = readBacks;
  const found = rowsOf(statements.length === 0 ? [] : (results ?? (await readAgain(statements, writer))));
  let at = 0;
  const decoded = <T>(read: Read<T>): T => read.decode(found[at++] ?? []);
  const answers = calls.map(({ commit: { resolveAnswer, answer } }) =>
    resolveAnswer === undefined ? answer : resolveAnswer.answer(decoded(resolveAnswer.read)),
  );
  for (const { setting, reads } of changed) setting.learn(reads.map(decoded), writer.sentSeq);
  for (const change of changesOf(calls)) change.end();
  for (const [i, { task }] of calls.entries()) {
    task.roundTrips += 1;
    task.answer(answers[i]);
  }
}

/**
 * Sends reads after a durable commit. If the database refuses them, the calls are decided again, which changes nothing.
 */
const readAgain = (statements: readonly Statement[], writer: Writer) =>
  writer.read(statements).catch((error: unknown) => {
    throw error instanceof RefusedStatement ? new Unreachable("a read-back was refused", { cause: error }) : error;
  });
