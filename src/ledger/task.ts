import type { Task, TaskMeta } from "../engine/task.ts";
import type {
  Gathered,
  GatheredReads,
  KeyedCall,
  Locks,
  Missing,
  Operation,
  Outcome,
  SettingRef,
} from "../operations/operation.ts";

const bytesPerCharacter = 2;

const bytesOf = (call: KeyedCall): number =>
  "lineItems" in call && typeof call.lineItems === "string" ? call.lineItems.length * bytesPerCharacter : 0;

function programOf(call: KeyedCall, needs: readonly SettingRef[]): number {
  const needed = needs.find((need) => need.kind === "program")?.programId;
  const named = "programId" in call && typeof call.programId === "number" ? call.programId : 0;
  return needed ?? named;
}

export function taskOf<C extends KeyedCall, R extends GatheredReads, Answer>(
  operation: Operation<C, R, Answer>,
  call: NoInfer<C>,
  arrivedAt: number,
): Task & { readonly outcome: Promise<Outcome<Answer>> } {
  const { promise, resolve, reject } = Promise.withResolvers<Outcome<Answer>>();
  let more: Missing | undefined;
  let attempts = 0;
  let isSettled = false;
  let deferredLocks: Locks | undefined;
  let rows = 0;
  const readAlso = (missing: Missing) => {
    more = { ...more, ...missing, needs: [...(more?.needs ?? []), ...(missing.needs ?? [])] };
    rows = Math.max(rows, missing.rows ?? 0);
  };
  const needs = (): readonly SettingRef[] => [
    ...(call.key === undefined ? [] : [{ kind: "program", programId: call.key.programId } as const]),
    ...operation.needs(call),
    ...(more?.needs ?? []),
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
    lane: typeof operation.lane === "string" ? operation.lane : operation.lane(call),
    bytes: bytesOf(call),
    chain: operation.chain?.(call),
    isExclusive: operation.isExclusive === true,
    get deferredLocks() {
      return deferredLocks;
    },
    get missing() {
      return more;
    },
    get rows() {
      return rows;
    },
    get isSettled() {
      return isSettled;
    },
    roundTrips: 0,
    get attempts() {
      return attempts;
    },
    needs,
    gather: () => operation.gather(call, more ?? {}),
    // A round returns the results of `gather` under the same names.
    locks: (found) => operation.locks(call, found as Gathered<R>),
    decide: (found, context) => operation.decide(call, found as Gathered<R>, context),
    retryWith(missing) {
      attempts += 1;
      readAlso(missing);
    },
    readAlso,
    noteRows(found) {
      rows = Math.max(found, more?.rows ?? 0);
    },
    defer(locks) {
      deferredLocks = locks;
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
