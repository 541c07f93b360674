import { isDeepStrictEqual } from "node:util";
import type { ProgramId } from "#domain/ids.ts";
import { placeRefusal } from "#domain/program-place.ts";
import type { Refusal } from "#domain/refusal.ts";
import type { Locks } from "#engine/lock-set.ts";
import type { Decision, Setting, Task } from "#engine/task.ts";
import { authorize } from "#operations/authorize.ts";
import type {
  Gathered,
  GatheredReads,
  KeepingContext,
  KeyedCall,
  Lane,
  Missing,
  Operation,
  Outcome,
  OutcomeMeta,
  SettingRef,
  Settings,
} from "#operations/operation.ts";
import type { MovingContext } from "#operations/places/moving.ts";
import type { Write } from "#store/statement.ts";
import type { Growth } from "./growth.ts";
import type { KeyUse } from "./key-use.ts";
import type { SettingsCache } from "./settings-cache.ts";

export interface TaskContext extends MovingContext {
  readonly settings: SettingsCache;
  readonly keyUse: Pick<KeyUse, "note">;
  readonly growth: Growth;
  /** For calls that are answered without the database during an outage. */
  readonly keeping: KeepingContext;
  report(event: string, error: unknown, operationId?: string): void;
}

type Commit = Extract<Decision, { kind: "commit" }>;

const bytesPerCharacter = 2;
/** The time after which the Deliverer (the sender of mails) must be woken if it hasn't sent a mail. */
const mailsLateMs = 5_000;

const lengthOf = (text: unknown): number => (typeof text === "string" ? text.length : 0);
const bytesOf = (call: KeyedCall): number =>
  (("lineItems" in call ? lengthOf(call.lineItems) : 0) + ("items" in call ? lengthOf(call.items) : 0)) *
  bytesPerCharacter;

const bytesWritten = (writes: readonly Write[]): number =>
  writes.reduce((sum, { args }) => args.reduce<number>((bytes, arg) => bytes + bytesOfValue(arg), sum), 0);
const bytesOfValue = (value: unknown): number => (typeof value === "string" ? Buffer.byteLength(value) : 8);

const programNamedBy = (call: KeyedCall): ProgramId | undefined =>
  "programId" in call && typeof call.programId === "number" ? call.programId : undefined;

const programOf = (needs: readonly SettingRef[]): ProgramId =>
  needs.find((need) => need.kind === "program")?.programId ?? 0;

export interface LedgerTask extends Task {
  readonly outcome: Promise<Outcome<unknown>>;
}

/** The name of an additional read, apart from those of the operation. */
const namesRead = "names";

/** A call together with the operation that decides it. */
class CallTask<C extends KeyedCall, R extends GatheredReads, Answer> implements LedgerTask {
  call: C;
  readonly arrivedAt: number;
  readonly lineId: ProgramId;
  readonly lane: Lane;
  readonly bytes: number;
  chain: string | undefined;
  readonly isExclusive: boolean;
  isSettled = false;
  roundTrips = 0;
  attempts = 0;
  rows = 0;
  missing: Missing | undefined;
  deferredLocks: Locks | undefined;
  readonly #context: TaskContext;
  readonly #operation: Operation<C, R, Answer>;
  readonly #settle = Promise.withResolvers<Outcome<Answer>>();
  readonly outcome = this.#settle.promise;
  readonly #sent: C;
  #changedNames: Partial<C> = {};
  #meta: Partial<OutcomeMeta> = {};

  constructor(context: TaskContext, operation: Operation<C, R, Answer>, call: C, arrivedAt: number) {
    this.#context = context;
    this.#operation = operation;
    this.call = call;
    this.#sent = call;
    this.arrivedAt = arrivedAt;
    this.lineId = programOf(this.#needs());
    this.lane = typeof operation.lane === "string" ? operation.lane : operation.lane(call);
    this.bytes = bytesOf(call);
    this.chain = operation.chain?.(call);
    const { isExclusive = false } = operation;
    this.isExclusive = typeof isExclusive === "function" ? isExclusive(call) : isExclusive;
  }

  get id(): string {
    return this.call.operationId;
  }

  /** All calls without a program share the turns of one line, which always counts as known. */
  get isLineKnown(): boolean {
    return this.lineId === 0 || Boolean(this.#context.keeping.settings.program(this.lineId));
  }

  reject(): boolean {
    const { key } = this.call;
    const { settings } = this.#context;
    const elsewhere = this.#placeRefusal(settings);
    // The settings of a program that is leaving this shard don't change any more, so a key that is wrong now is also
    // wrong after the migration.
    const isKeyJudged = elsewhere === undefined || settings.program(this.lineId)?.place === "leaving";
    if (isKeyJudged && key !== undefined && settings.program(key.programId) !== undefined) {
      const caller = authorize(this.call, key, settings);
      if (!caller.ok) {
        this.#meta = this.#metaOfLine();
        this.refuse(caller.refusal);
        return true;
      }
    }
    // A call that can be kept (a click) is decided even while its program is being migrated, because an earlier call
    // with the same event may have been answered.
    if (elsewhere?.code === "program_moved" || (elsewhere !== undefined && this.#operation.keep === undefined)) {
      this.refuse(elsewhere);
      return true;
    }
    return false;
  }

  #placeRefusal(settings: Settings) {
    if (this.lineId === 0 || this.#operation.isOfAnyPlace === true) return undefined;
    return placeRefusal(settings.program(this.lineId));
  }

  #needs(): readonly SettingRef[] {
    const { call, missing } = this;
    const programId = call.key?.programId ?? programNamedBy(call);
    return [
      ...(programId === undefined ? [] : [{ kind: "program", programId } as const]),
      ...this.#operation.needs(call),
      ...(missing?.needs ?? []),
    ];
  }

  unread(): readonly Setting[] {
    return this.#context.settings.missing(this.#needs());
  }

  gather(): R {
    const own = this.#operation.gather(this.call, this.missing ?? {});
    const names = this.#names;
    return names === undefined ? own : { ...own, [namesRead]: names.read(this.#sent, this.#context) };
  }

  /** Empty if the program doesn't exist. */
  #metaOfLine(): Partial<OutcomeMeta> {
    const program = this.#context.settings.program(this.lineId);
    return program ? { programId: program.id, hasErased: program.hasErased } : {};
  }

  /** Undefined unless the program has erased customers. */
  get #names() {
    const { names } = this.#operation;
    return names !== undefined && this.#context.settings.program(this.lineId)?.hasErased ? names : undefined;
  }

  /** False if the call's identifiers were pseudonymized, or if this wasn't checked. The call must then read again. */
  #isNamedAsStored(found: Readonly<Record<string, unknown>>): boolean {
    const names = this.#names;
    if (names === undefined) return true;
    if (found[namesRead] === undefined) return false;
    const changes = names.changes(this.#sent, found[namesRead], this.#context);
    if (isDeepStrictEqual(changes, this.#changedNames)) return true;
    this.#changedNames = changes;
    this.call = { ...this.#sent, ...changes };
    this.chain = this.#operation.chain?.(this.call);
    return false;
  }

  // `found` has the results of `gather` under the same names.
  locks(found: Readonly<Record<string, unknown>>): Locks {
    const locks = this.#operation.locks(this.call, found as Gathered<R>);
    const lock = this.#names?.lock?.(this.#sent);
    return lock === undefined ? locks : { ...locks, exclusive: [...locks.exclusive, lock] };
  }

  decide(found: Readonly<Record<string, unknown>>): Decision {
    const { call } = this;
    const { settings, keyUse } = this.#context;
    const elsewhere = this.#placeRefusal(settings);
    if (elsewhere !== undefined) {
      const kept = elsewhere.code === "program_moving" ? this.#answerKept() : undefined;
      return kept === undefined ? { kind: "refuse", refusal: elsewhere } : this.#resolved(kept, found);
    }
    const caller = call.key === undefined ? undefined : authorize(call, call.key, settings);
    if (caller?.ok === false) {
      this.#meta = this.#metaOfLine();
      return { kind: "refuse", refusal: caller.refusal };
    }
    if (caller?.value.keyId !== undefined) keyUse.note(caller.value.keyId, this.arrivedAt);
    this.#meta = { ...this.#metaOfLine(), ...caller?.value };
    if (!this.#isNamedAsStored(found)) return { kind: "retry", missing: {} };
    const decision = this.#operation.decide(call, found as Gathered<R>, this.#context);
    if (decision.kind !== "commit") return decision;
    const tooMuch = this.#growthRefusal(decision);
    if (tooMuch !== undefined) return { kind: "refuse", refusal: tooMuch };
    this.#meta = { ...this.#meta, programId: decision.programId };
    const { changes, mailsAt, holdUntil = mailsAt && mailsAt + mailsLateMs } = decision;
    return { ...decision, ringAt: holdUntil, change: changes && settings.change(changes) };
  }

  /**
   * Applies the daily limit to changes by members and keys. Tracking calls and the Ledger's own writes have other
   * limits.
   */
  #growthRefusal({ programId, writes }: { readonly programId: ProgramId; readonly writes: readonly Write[] }) {
    const { call } = this;
    if (!("actorId" in call) || writes.length === 0 || this.#operation.isEssential) return undefined;
    const actorId = typeof call.actorId === "string" ? call.actorId : undefined;
    return this.#context.growth.refusalOf({ programId, actorId, bytes: bytesWritten(writes), at: call.at });
  }

  retryWith(missing: Missing): void {
    this.attempts += 1;
    this.readAlso(missing);
  }

  readAlso(missing: Missing): void {
    const needs = [...(this.missing?.needs ?? []), ...(missing.needs ?? [])];
    this.missing = { ...this.missing, ...missing, needs };
    this.rows = Math.max(this.rows, missing.rows ?? 0);
  }

  noteRows(found: number): void {
    this.rows = Math.max(found, this.missing?.rows ?? 0);
  }

  defer(locks: Locks): void {
    this.deferredLocks = locks;
  }

  keep(): boolean {
    const elsewhere = this.#rememberedPlaceRefusal();
    if (elsewhere?.code === "program_moved") {
      this.refuse(elsewhere);
      return true;
    }
    const kept = this.#answerKept();
    if (kept === undefined) return false;
    this.answer(kept.answer);
    return true;
  }

  /** Undefined if there is no refusal, and also if the object's storage can't be read. */
  #rememberedPlaceRefusal() {
    const { keeping, report } = this.#context;
    try {
      return this.#placeRefusal(keeping.settings);
    } catch (error) {
      report("ledger.settings_memory_failed", error, this.id);
      return undefined;
    }
  }

  /** Returns the answer to an earlier call with the same event, if the database has one. */
  #resolved(kept: Commit, found: Readonly<Record<string, unknown>>): Commit {
    const planned = this.#operation.decide(this.call, found as Gathered<R>, this.#context);
    if (planned.kind !== "commit" || planned.resolveAnswer === undefined) return kept;
    const { read, answer } = planned.resolveAnswer;
    return { ...kept, resolveAnswer: { read, answer: (row) => (row === undefined ? kept.answer : answer(row)) } };
  }

  /** Stores the call in the object's storage until the database can write it. Undefined if it can't be stored. */
  #answerKept(): Commit | undefined {
    const { keeping, report } = this.#context;
    try {
      const answer = this.#operation.keep?.(this.call, keeping);
      if (answer === undefined) return undefined;
      this.#meta = { programId: this.lineId };
      return { kind: "commit", answer, writes: [] };
    } catch (error) {
      report("ledger.click_not_kept", error, this.id);
      return undefined;
    }
  }

  answer(answer: unknown): void {
    this.isSettled = true;
    this.#settle.resolve({ ok: true, answer: answer as Answer, meta: this.#outcomeMeta });
  }

  refuse(refusal: Refusal): void {
    this.isSettled = true;
    this.#settle.resolve({ ok: false, refusal, meta: this.#outcomeMeta });
  }

  get #outcomeMeta(): OutcomeMeta {
    const { programId, keyRetiresAt, hasErased } = this.#meta;
    return { programId, keyRetiresAt, roundTrips: this.roundTrips, ...(hasErased && { hasErased }) };
  }

  fail(error: Error): void {
    this.isSettled = true;
    this.#settle.reject(error);
  }
}

export const taskMaker =
  (context: TaskContext) =>
  <C extends KeyedCall, R extends GatheredReads, Answer>(
    operation: Operation<C, R, Answer>,
    call: NoInfer<C>,
    arrivedAt: number,
  ) =>
    new CallTask(context, operation, call, arrivedAt);
export type TaskMaker = ReturnType<typeof taskMaker>;
