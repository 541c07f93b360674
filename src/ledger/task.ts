import type { Refusal } from "../domain/refusal.ts";
import type {
  Context,
  Decision,
  Gathered,
  GatheredReads,
  KeyedCall,
  Locks,
  Missing,
  Operation,
  Outcome,
  SettingRef,
} from "../operations/operation.ts";
import type { Lane, Waiting } from "./queue.ts";

/** One waiting call, whatever its operation: what a round asks of it, and where its answer goes. */
export interface Task extends Waiting {
  readonly call: KeyedCall;
  /** When the Ledger got it, in milliseconds. */
  readonly arrivedAt: number;
  readonly outcome: Promise<Outcome<unknown>>;
  /** Whether it has its answer. Any later one is not heard. */
  readonly isSettled: boolean;
  /** Requests to the database that the call has waited for. */
  roundTrips: number;
  /** How often a look showed something to be missing; waiting for other calls is no look. */
  readonly looks: number;
  needs(): readonly SettingRef[];
  gather(): GatheredReads;
  locks(found: Readonly<Record<string, unknown>>): Locks;
  decide(found: Readonly<Record<string, unknown>>, context: Context): Decision<unknown>;
  /** Keeps what a first look showed to be missing, for the next. */
  lookAgain(missing: Missing): void;
  /** Keeps the locks that it waits for. */
  keepBack(locks: Locks): void;
  answer(answer: unknown, meta: TaskMeta): void;
  refuse(refusal: Refusal, meta?: TaskMeta): void;
  /** Fails the call: its outcome is not known. */
  fail(error: Error): void;
}

export interface TaskMeta {
  readonly programId?: number | undefined;
  readonly keyRetiresAt?: number | undefined;
}

/** Anybody can send what a browser reports. */
function laneOf({ kind, key }: KeyedCall): Lane {
  switch (kind) {
    case "sale":
    case "refund":
      return "money";
    case "lead":
      return key === undefined ? "traffic" : "money";
    case "click":
      return "traffic";
    default:
      return "control";
  }
}

/** The program that a call is about, as far as it says; calls that name none are as if of one. */
function programOf(call: KeyedCall, needs: readonly SettingRef[]): number {
  const needed = needs.find((need) => need.kind === "program")?.programId;
  const named = "programId" in call && typeof call.programId === "number" ? call.programId : 0;
  return needed ?? named;
}

export function taskOf<C extends KeyedCall, R extends GatheredReads, Answer>(
  operation: Operation<C, R, Answer>,
  call: C,
  arrivedAt: number,
): Task & { readonly outcome: Promise<Outcome<Answer>> } {
  const { promise, resolve, reject } = Promise.withResolvers<Outcome<Answer>>();
  let more: Missing = {};
  let looks = 0;
  let isSettled = false;
  let keptBack: Locks | undefined;
  const needs = (): readonly SettingRef[] => [
    ...(call.key === undefined ? [] : [{ kind: "program", programId: call.key.programId } as const]),
    ...operation.needs(call),
    ...(more.needs ?? []),
  ];
  const metaOf = (task: Task, { programId, keyRetiresAt }: TaskMeta = {}) => ({
    programId,
    keyRetiresAt,
    roundTrips: task.roundTrips,
  });
  return {
    call,
    arrivedAt,
    outcome: promise,
    programId: programOf(call, needs()),
    lane: laneOf(call),
    chain: operation.chain?.(call),
    isExclusive: operation.isExclusive === true,
    get keptBack() {
      return keptBack;
    },
    get isSettled() {
      return isSettled;
    },
    roundTrips: 0,
    get looks() {
      return looks;
    },
    needs,
    gather: () => operation.gather(call, more),
    // A round gives back what `gather` asked for, under the same names.
    locks: (found) => operation.locks(call, found as Gathered<R>),
    decide: (found, context) => operation.decide(call, found as Gathered<R>, context),
    lookAgain(missing) {
      looks += 1;
      more = { ...more, ...missing, needs: [...(more.needs ?? []), ...(missing.needs ?? [])] };
    },
    keepBack(locks) {
      keptBack = locks;
    },
    answer(answer, meta) {
      isSettled = true;
      resolve({ ok: true, answer: answer as Answer, meta: metaOf(this, meta) });
    },
    refuse(refusal, meta) {
      isSettled = true;
      resolve({ ok: false, refusal, meta: metaOf(this, meta) });
    },
    fail(error) {
      isSettled = true;
      reject(error);
    },
  };
}
