import type { Locks } from "../operations/operation.ts";
import { LockSet } from "./lock-set.ts";

/** Calls of different lanes take turns: what anybody may send never takes the places of what a backend reports. */
export const lanes = ["money", "traffic", "control"] as const;
export type Lane = (typeof lanes)[number];

/** A call as far as the queue asks. */
export interface Waiting {
  readonly programId: number;
  readonly lane: Lane;
  /** Wants a round of its own. */
  readonly isExclusive: boolean;
  /** See `Operation.chain`. */
  readonly chain?: string | undefined;
  /** The locks of a call that has had its turn in a round and could not be decided. */
  readonly keptBack?: Locks | undefined;
}

export interface Limits {
  /** Calls that wait. */
  readonly inAll: number;
  /** Of one program in one lane, or of all strangers in it. */
  readonly ofLine: number;
  readonly ofRound: number;
  /** Of a round, those that others in it are likely to keep back again. */
  readonly againOfRound: number;
}

const usual: Limits = { inAll: 2_000, ofLine: 1_000, ofRound: 100, againOfRound: 10 };

/** The calls that a round has taken so far. */
export class Intake {
  readonly #limits: Limits;
  readonly #underWay: LockSet | undefined;
  readonly #going = new LockSet();
  #calls = 0;
  #again = 0;
  /** Locks of calls that still wait, which those in the round must not pass. */
  readonly passed = new LockSet();

  constructor(limits: Limits, underWay: LockSet | undefined) {
    this.#limits = limits;
    this.#underWay = underWay;
  }

  get room(): number {
    return this.#limits.ofRound - this.#calls;
  }

  /** Nothing is under way, and nobody else is in the round. */
  get isEmpty(): boolean {
    return this.#underWay === undefined && this.#calls === 0;
  }

  add(calls: number): void {
    this.#calls += calls;
  }

  /**
   * Whether a call that was kept back comes along, asked of each in their order: if it is likely to be decided. Of the
   * others a few do, since one ahead of them may change nothing after all.
   */
  admits(locks: Locks, chain: string | undefined): boolean {
    const isHopeless = this.passed.keepsFrom(locks) || this.#underWay?.keepsFrom(locks) === true;
    const isBehind = this.#going.keepsFrom(locks, chain);
    if (isHopeless || (isBehind && this.#again >= this.#limits.againOfRound)) {
      this.passed.add(locks);
      return false;
    }
    if (isBehind) this.#again += 1;
    this.#going.add(locks, chain);
    return true;
  }
}

/** The waiting calls of one program in one lane, the oldest first. */
type Line<Call> = Call[];
type Lines<Call> = Map<number, Line<Call>>;
type Entry<Call> = readonly [programId: number, line: Line<Call>];

const lengthOf = (lines: readonly (readonly unknown[])[]): number =>
  lines.reduce((length, line) => length + line.length, 0);

/**
 * The calls that wait for a round. Lanes take turns, in each lane its programs, and of a program the oldest goes first.
 * Programs that may not exist, since nobody has heard of them, have one turn and the places of one: anybody can make up
 * as many as there are numbers.
 * No call passes an exclusive one of its own program; of exclusive ones, other calls come between.
 */
export class Queue<Call extends Waiting> {
  readonly #limits: Limits;
  readonly #lines: Readonly<Record<Lane, Lines<Call>>> = { money: new Map(), traffic: new Map(), control: new Map() };
  readonly #exclusive: Lines<Call> = new Map();
  /** The order in which calls came. */
  readonly #places = new WeakMap<Call, number>();
  readonly #strangers = new WeakSet<Call>();
  #lastPlace = 0;
  #size = 0;
  /** The last call taken was an exclusive one. */
  #wasExclusive = false;

  constructor(limits = usual) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#size;
  }

  /**
   * Returns the call that there is no room for, if any: this one, or the newest of the longest line. `isKnown`: its program
   * exists.
   */
  add(call: Call, isKnown: boolean): Call | undefined {
    this.#lastPlace += 1;
    this.#places.set(call, this.#lastPlace);
    if (!isKnown) this.#strangers.add(call);
    const line = this.#lineOf(call);
    line.push(call);
    this.#size += 1;
    const queued = this.#isOfStrangers(line) ? this.#linesOfStrangers(this.#linesOf(call)) : [line];
    if (lengthOf(queued) > this.#limits.ofLine) return this.#dropNewest(queued);
    return this.#size > this.#limits.inAll ? this.#dropNewest(this.#longest(queued)) : undefined;
  }

  /** Calls that were taken wait again, where they were. */
  putBack(calls: readonly Call[]): void {
    for (const call of calls) {
      const line = this.#lineOf(call);
      const behind = line.findIndex((other) => this.#placeOf(other) > this.#placeOf(call));
      line.splice(behind === -1 ? line.length : behind, 0, call);
      this.#size += 1;
    }
  }

  /** What is taken for a round while another is committed, whose locks are `underWay`; else for one that can begin. */
  intake(underWay?: LockSet): Intake {
    return new Intake(this.#limits, underWay);
  }

  /** The calls that have their turn: several, or an exclusive one. */
  take(intake: Intake): readonly Call[] {
    const due = this.#dueExclusive();
    const mayGo = due !== undefined && intake.isEmpty;
    if (due !== undefined && !this.#wasExclusive) return mayGo ? this.#taken([due], intake) : [];
    const calls = this.#inTurn(intake);
    return this.#taken(calls.length === 0 && mayGo ? [due] : calls, intake);
  }

  /** Removes the calls that are too old from the heads of the lines. */
  removeOld(isTooOld: (call: Call) => boolean): readonly Call[] {
    const old: Call[] = [];
    for (const [, line] of this.#allLines()) {
      const young = line.findIndex((call) => !isTooOld(call));
      old.push(...line.splice(0, young === -1 ? line.length : young));
    }
    this.#size -= old.length;
    return old;
  }

  removeAll(): readonly Call[] {
    return this.removeOld(() => true).toSorted((a, b) => this.#placeOf(a) - this.#placeOf(b));
  }

  #placeOf(call: Call): number {
    return this.#places.get(call) ?? 0;
  }

  #linesOf({ isExclusive, lane }: Waiting): Lines<Call> {
    return isExclusive ? this.#exclusive : this.#lines[lane];
  }

  #lineOf(call: Call): Line<Call> {
    const lines = this.#linesOf(call);
    const line = lines.get(call.programId) ?? [];
    lines.set(call.programId, line);
    return line;
  }

  /** Calls that wait, by their lanes. */
  get sizes(): Readonly<Record<Lane, number>> {
    const sizes = { money: 0, traffic: 0, control: 0 };
    for (const [, line] of this.#allLines()) for (const { lane } of line) sizes[lane] += 1;
    return sizes;
  }

  get #allOf(): readonly Lines<Call>[] {
    return [...lanes.map((lane) => this.#lines[lane]), this.#exclusive];
  }

  *#allLines(): Generator<Entry<Call>> {
    for (const lines of this.#allOf) yield* lines;
  }

  #isOfStrangers([first]: Line<Call>): boolean {
    return first !== undefined && this.#strangers.has(first);
  }

  #linesOfStrangers(lines: Lines<Call>): readonly Line<Call>[] {
    return [...lines.values()].filter((line) => this.#isOfStrangers(line));
  }

  /** What has a turn: a program's line, or those of all strangers, where the first of them stands. */
  #queuesOf(lines: Lines<Call>): readonly (readonly Entry<Call>[])[] {
    const queues: Entry<Call>[][] = [];
    const strangers: Entry<Call>[] = [];
    for (const entry of lines) {
      const isOfStrangers = this.#isOfStrangers(entry[1]);
      if (!isOfStrangers) queues.push([entry]);
      else if (strangers.push(entry) === 1) queues.push(strangers);
    }
    return queues;
  }

  #longest(own: readonly Line<Call>[]): readonly Line<Call>[] {
    const queues = this.#allOf.flatMap((lines) => this.#queuesOf(lines).map((queue) => queue.map(([, line]) => line)));
    return queues.reduce((longest, queue) => (lengthOf(queue) > lengthOf(longest) ? queue : longest), own);
  }

  #dropNewest(queue: readonly Line<Call>[]): Call | undefined {
    const lastPlace = (line: Line<Call>) => Math.max(0, ...line.slice(-1).map((call) => this.#placeOf(call)));
    const line = queue.reduce((newest, each) => (lastPlace(each) > lastPlace(newest) ? each : newest));
    this.#size -= 1;
    return line.pop();
  }

  /** The first whose turn has come: what its program sent before it has had its own. */
  #dueExclusive(): Call | undefined {
    for (const [programId, [first]] of this.#exclusive) {
      if (first === undefined) continue;
      const isBehind = lanes.some((lane) =>
        this.#lines[lane]
          .get(programId)
          ?.some((call) => call.keptBack === undefined && this.#placeOf(call) < this.#placeOf(first)),
      );
      if (!isBehind) return first;
    }
    return undefined;
  }

  /** Those that were kept back come before all others, and in their order. */
  #inTurn(intake: Intake): readonly Call[] {
    const { room } = intake;
    if (room <= 0) return [];
    const admitted = new Map(
      [...this.#allLines()]
        .flatMap(([, line]) =>
          line.flatMap((call) => (call.keptBack === undefined ? [] : [[call, call.keptBack] as const])),
        )
        .toSorted(([a], [b]) => this.#placeOf(a) - this.#placeOf(b))
        .filter(([call, locks]) => intake.admits(locks, call.chain)),
    );
    const calls = new Set<Call>();
    const ofQueue = (queue: readonly Entry<Call>[]) => inTurn(queue.map((line) => this.#readyOf(line, admitted)));
    const ofLane = (lane: Lane) => inTurn(this.#queuesOf(this.#lines[lane]).map(ofQueue));
    for (const call of inTurn(lanes.map(ofLane))) {
      calls.add(call);
      if (calls.size === room) break;
    }
    for (const [call, locks] of admitted) if (!calls.has(call)) intake.passed.add(locks);
    const again = [...admitted.keys()].filter((call) => calls.has(call));
    return [...new Set([...again, ...calls])];
  }

  *#readyOf([programId, line]: Entry<Call>, admitted: ReadonlyMap<Call, Locks>): Generator<Call> {
    const [exclusive] = this.#exclusive.get(programId) ?? [];
    for (const call of line) {
      if (exclusive !== undefined && this.#placeOf(call) > this.#placeOf(exclusive)) return;
      if (call.keptBack === undefined || admitted.has(call)) yield call;
    }
  }

  #taken(calls: readonly Call[], intake: Intake): readonly Call[] {
    const all = new Set(calls);
    for (const lines of new Set(calls.map((call) => this.#linesOf(call)))) {
      for (const [programId, line] of [...lines]) {
        const left = line.filter((call) => !all.has(call));
        if (left.length === line.length && line.length > 0) continue;
        // At the end: those who had no turn come first the next time.
        lines.delete(programId);
        if (left.length > 0) lines.set(programId, left);
      }
    }
    const [first] = calls;
    if (first !== undefined) this.#wasExclusive = first.isExclusive;
    this.#size -= calls.length;
    intake.add(calls.length);
    return calls;
  }
}

/** One of each, again and again, until none has any left. */
function* inTurn<T>(sources: readonly Generator<T>[]): Generator<T> {
  let left = sources;
  while (left.length > 0) {
    const going: Generator<T>[] = [];
    for (const source of left) {
      const { done, value } = source.next();
      if (done === true) continue;
      going.push(source);
      yield value;
    }
    left = going;
  }
}
