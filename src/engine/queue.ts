import { HeldBytes } from "./held-bytes.ts";
import { LockSet, type Locks } from "./lock-set.ts";
import { limited, roundRobin } from "./turns.ts";

/** Lanes take turns. Calls in `traffic`, which anyone can send, therefore never take capacity from the other lanes. */
export const lanes = ["money", "traffic", "control"] as const;
export type Lane = (typeof lanes)[number];

export interface QueuedCall {
  /** Calls of the same line (the same program) keep their order within a lane. */
  readonly lineId: number;
  readonly lane: Lane;
  readonly isExclusive: boolean;
  readonly chain?: string | undefined;
  readonly deferredLocks?: Locks | undefined;
  /** The number of rows that a deferred call reads, if known. Calls of the same chain read the same rows. */
  readonly rows?: number;
  /** The memory that the call's long texts use. */
  readonly bytes?: number;
}

export interface Limits {
  readonly total: number;
  /** The most memory that all waiting calls may use. Calls of one line may use at most half of it. */
  readonly bytes: number;
  /** The most waiting calls of one line in one lane. All unknown lines of a lane together have the same limit. */
  readonly perLine: number;
  readonly perRound: number;
  /** The most traffic calls per round if money calls are arriving and few traffic calls wait. */
  readonly trafficBesideMoney: number;
  /** The most deferred calls per round that will probably be deferred again because of other calls in the round. */
  readonly blockedPerRound: number;
  /** The most rows that the deferred calls of a round may read. */
  readonly rowsPerRound: number;
}

const defaultLimits: Limits = {
  total: 2_000,
  bytes: 16_000_000,
  perLine: 1_000,
  perRound: 100,
  trafficBesideMoney: 25,
  blockedPerRound: 10,
  rowsPerRound: 4_000,
};

/**
 * The number of rounds without a money call after which money calls no longer count as arriving (see
 * `trafficBesideMoney`).
 */
const roundsWithoutMoney = 20;
/** The share of the waiting traffic calls that a round may take in any case, so that long queues get shorter. */
const trafficShare = 1 / 6;

export class Intake {
  readonly #limits: Limits;
  readonly #committing: LockSet | undefined;
  readonly #admitted = new LockSet();
  /** The number of calls that still fit into the round: all calls, and traffic calls. */
  room: number;
  trafficRoom: number;
  #blocked = 0;
  #rows = 0;
  readonly #chains = new Set<string>();
  /** Locks of deferred calls that stay in the queue. Calls of the round must not overtake them. */
  readonly skipped = new LockSet();

  constructor(limits: Limits, committing: LockSet | undefined, maxTraffic: number) {
    this.#limits = limits;
    this.room = limits.perRound;
    this.trafficRoom = maxTraffic;
    this.#committing = committing;
  }

  get isEmpty(): boolean {
    return this.#committing === undefined && this.room === this.#limits.perRound;
  }

  add(calls: readonly QueuedCall[]): void {
    this.room -= calls.length;
    for (const { lane } of calls) if (lane === "traffic") this.trafficRoom -= 1;
  }

  /**
   * True if a deferred call will probably be decided. Must be called for each deferred call in order. Also admits some
   * calls that probably won't be decided, because the call that blocks them may change nothing.
   */
  admits(locks: Locks, { chain, rows = 0 }: Pick<QueuedCall, "chain" | "rows">): boolean {
    const isHopeless = this.skipped.conflictsWith(locks) || this.#committing?.conflictsWith(locks) === true;
    const isBlocked = this.#admitted.conflictsWith(locks, chain);
    const more = chain !== undefined && this.#chains.has(chain) ? 0 : rows;
    const isTooMuch = this.#rows > 0 && this.#rows + more > this.#limits.rowsPerRound;
    if (isHopeless || isTooMuch || (isBlocked && this.#blocked >= this.#limits.blockedPerRound)) {
      this.skipped.add(locks);
      return false;
    }
    if (isBlocked) this.#blocked += 1;
    this.#rows += more;
    if (chain !== undefined && rows > 0) this.#chains.add(chain);
    this.#admitted.add(locks, chain);
    return true;
  }
}

type Line<Call> = Call[];
type Lines<Call> = Map<number, Line<Call>>;
type Entry<Call> = readonly [lineId: number, line: Line<Call>];

const lengthOf = (lines: readonly (readonly unknown[])[]): number =>
  lines.reduce((length, line) => length + line.length, 0);

/**
 * The calls that wait for a round. Lanes take turns. Within a lane the lines (programs) take turns, and within a line
 * the oldest call comes first. All unknown lines share one turn and one capacity, because anyone can invent lines. An
 * exclusive call is alone in its round, and no call of its line overtakes it. Between two such rounds, there is a round
 * for other calls.
 */
export class Queue<Call extends QueuedCall> {
  readonly #limits: Limits;
  readonly #lines: Readonly<Record<Lane, Lines<Call>>> = { money: new Map(), traffic: new Map(), control: new Map() };
  readonly #exclusive: Lines<Call> = new Map();
  readonly #numbers = new WeakMap<Call, number>();
  readonly #ofUnknownLine = new WeakSet<Call>();
  readonly #held: HeldBytes;
  #lastNumber = 0;
  #size = 0;
  #wasExclusive = false;
  #roundsSinceMoney = roundsWithoutMoney;

  constructor(limits = defaultLimits) {
    this.#limits = limits;
    this.#held = new HeldBytes(limits.bytes);
  }

  get size(): number {
    return this.#size;
  }

  /** Adds a call. If there is no room, returns the call to refuse: this one, or the newest call of the longest line. */
  add(call: Call, isLineKnown: boolean): Call | undefined {
    if (!this.#held.hasRoomFor(call)) return call;
    this.#lastNumber += 1;
    this.#numbers.set(call, this.#lastNumber);
    if (!isLineKnown) this.#ofUnknownLine.add(call);
    const line = this.#lineOf(call);
    line.push(call);
    this.#entered(call);
    const queued = this.#isOfUnknown(line) ? this.#linesOfUnknown(this.#linesOf(call)) : [line];
    if (lengthOf(queued) > this.#limits.perLine) return this.#dropNewest(queued);
    return this.#size > this.#limits.total ? this.#dropNewest(this.#longest(queued)) : undefined;
  }

  #entered(call: Call): void {
    this.#size += 1;
    this.#held.add(call);
  }

  #left(calls: readonly Call[]): void {
    this.#size -= calls.length;
    for (const call of calls) this.#held.remove(call);
  }

  requeue(calls: readonly Call[]): void {
    for (const call of calls) {
      const line = this.#lineOf(call);
      const behind = line.findIndex((other) => this.#numberOf(other) > this.#numberOf(call));
      line.splice(behind === -1 ? line.length : behind, 0, call);
      this.#entered(call);
    }
  }

  intake(committing?: LockSet): Intake {
    this.#roundsSinceMoney += 1;
    return new Intake(this.#limits, committing, this.#maxTraffic);
  }

  /**
   * The most traffic calls in the next round. It is limited because money calls that arrive during a long round would
   * have to wait. The limit is lifted if an exclusive call waits for earlier traffic calls of its line.
   */
  get #maxTraffic(): number {
    const { perRound, trafficBesideMoney } = this.#limits;
    const isExclusiveWaiting = [...this.#exclusive.values()].some((line) => line.length > 0);
    if (isExclusiveWaiting || this.#roundsSinceMoney > roundsWithoutMoney) return perRound;
    return Math.max(trafficBesideMoney, Math.ceil(lengthOf([...this.#lines.traffic.values()]) * trafficShare));
  }

  take(intake: Intake): readonly Call[] {
    const due = this.#dueExclusive();
    const mayGo = due !== undefined && intake.isEmpty;
    if (due !== undefined && !this.#wasExclusive) return mayGo ? this.#remove([due], intake) : [];
    const calls = this.#inTurn(intake);
    return this.#remove(calls.length === 0 && mayGo ? [due] : calls, intake);
  }

  removeExpired(isExpired: (call: Call) => boolean): readonly Call[] {
    const expired: Call[] = [];
    for (const [, line] of this.#allLines()) {
      const first = line.findIndex((call) => !isExpired(call));
      expired.push(...line.splice(0, first === -1 ? line.length : first));
    }
    this.#left(expired);
    return expired;
  }

  removeAll(): readonly Call[] {
    return this.removeExpired(() => true).toSorted((a, b) => this.#numberOf(a) - this.#numberOf(b));
  }

  #numberOf(call: Call): number {
    return this.#numbers.get(call) ?? 0;
  }

  #linesOf({ isExclusive, lane }: QueuedCall): Lines<Call> {
    return isExclusive ? this.#exclusive : this.#lines[lane];
  }

  #lineOf(call: Call): Line<Call> {
    const lines = this.#linesOf(call);
    const line = lines.get(call.lineId) ?? [];
    lines.set(call.lineId, line);
    return line;
  }

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

  #isOfUnknown([first]: Line<Call>): boolean {
    return first !== undefined && this.#ofUnknownLine.has(first);
  }

  #linesOfUnknown(lines: Lines<Call>): readonly Line<Call>[] {
    return [...lines.values()].filter((line) => this.#isOfUnknown(line));
  }

  #queuesOf(lines: Lines<Call>): readonly (readonly Entry<Call>[])[] {
    const queues: Entry<Call>[][] = [];
    const unknown: Entry<Call>[] = [];
    for (const entry of lines) {
      if (!this.#isOfUnknown(entry[1])) queues.push([entry]);
      else if (unknown.push(entry) === 1) queues.push(unknown);
    }
    return queues;
  }

  #longest(own: readonly Line<Call>[]): readonly Line<Call>[] {
    const queues = this.#allOf.flatMap((lines) => this.#queuesOf(lines).map((queue) => queue.map(([, line]) => line)));
    return queues.reduce((longest, queue) => (lengthOf(queue) > lengthOf(longest) ? queue : longest), own);
  }

  #dropNewest(queue: readonly Line<Call>[]): Call | undefined {
    const lastNumber = (line: Line<Call>) => Math.max(0, ...line.slice(-1).map((call) => this.#numberOf(call)));
    const line = queue.reduce((newest, each) => (lastNumber(each) > lastNumber(newest) ? each : newest));
    const dropped = line.pop();
    if (dropped !== undefined) this.#left([dropped]);
    return dropped;
  }

  /** The first exclusive call for which no earlier call of its line is waiting, apart from deferred calls. */
  #dueExclusive(): Call | undefined {
    for (const [lineId, [first]] of this.#exclusive) {
      if (first === undefined) continue;
      const isBehind = lanes.some((lane) =>
        this.#lines[lane]
          .get(lineId)
          ?.some((call) => call.deferredLocks === undefined && this.#numberOf(call) < this.#numberOf(first)),
      );
      if (!isBehind) return first;
    }
    return undefined;
  }

  /** The calls of the next round. Deferred calls come first, in their order. */
  #inTurn(intake: Intake): readonly Call[] {
    const { room } = intake;
    if (room <= 0) return [];
    const admitted = new Map(
      [...this.#allLines()]
        .flatMap(([, line]) =>
          line.flatMap((call) => (call.deferredLocks === undefined ? [] : [[call, call.deferredLocks] as const])),
        )
        .toSorted(([a], [b]) => this.#numberOf(a) - this.#numberOf(b))
        .filter(([call, locks]) => intake.admits(locks, call)),
    );
    const calls = new Set<Call>();
    const ofQueue = (queue: readonly Entry<Call>[]) => roundRobin(queue.map((line) => this.#readyOf(line, admitted)));
    const ofLane = (lane: Lane) => {
      const ready = roundRobin(this.#queuesOf(this.#lines[lane]).map(ofQueue));
      return lane === "traffic" ? limited(ready, intake.trafficRoom) : ready;
    };
    for (const call of roundRobin(lanes.map(ofLane))) {
      calls.add(call);
      if (calls.size === room) break;
    }
    for (const [call, locks] of admitted) if (!calls.has(call)) intake.skipped.add(locks);
    const deferred = [...admitted.keys()].filter((call) => calls.has(call));
    return [...new Set([...deferred, ...calls])];
  }

  *#readyOf([lineId, line]: Entry<Call>, admitted: ReadonlyMap<Call, Locks>): Generator<Call> {
    const [exclusive] = this.#exclusive.get(lineId) ?? [];
    for (const call of line) {
      if (exclusive !== undefined && this.#numberOf(call) > this.#numberOf(exclusive)) return;
      if (call.deferredLocks === undefined || admitted.has(call)) yield call;
    }
  }

  #remove(calls: readonly Call[], intake: Intake): readonly Call[] {
    const all = new Set(calls);
    for (const lines of new Set(calls.map((call) => this.#linesOf(call)))) {
      for (const [lineId, line] of [...lines]) {
        const left = line.filter((call) => !all.has(call));
        if (left.length === line.length && line.length > 0) continue;
        // Moves the line to the end, so that lines that had no turn come first next time.
        lines.delete(lineId);
        if (left.length > 0) lines.set(lineId, left);
      }
    }
    const [first] = calls;
    if (first !== undefined) this.#wasExclusive = first.isExclusive;
    if (calls.some(({ lane }) => lane === "money")) this.#roundsSinceMoney = 0;
    this.#left(calls);
    intake.add(calls);
    return calls;
  }
}
