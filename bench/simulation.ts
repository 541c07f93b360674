import { parseArgs } from "node:util";
import { table } from "./figures.ts";
import { publish } from "./results.ts";

// npm run bench:simulate: a model of one Ledger on Cloudflare with a database some milliseconds away. Discrete events,
// no I/O, the same result on every run. It models src/engine/loop.ts: rounds of at most 100 calls, one after another.
// Each gathers (which clicks don't need) during the previous commit, then commits, and all time of the object and the
// database counts as part of the commit. At most two database requests are in flight, so the limit of six connections
// per object never applies. Limits are the Ledger's own.

const { values } = parseArgs({ options: { write: { type: "boolean", default: false }, try: { type: "string" } } });

/** Requests per gather, and milliseconds per call of the Durable Object and of the database. */
interface Work {
  readonly reads: 0 | 1;
  readonly object: number;
  readonly database: number;
}

/** From `npm run bench` under workerd with 128 connections. Other machines differ. */
const kinds: Readonly<Record<string, Work>> = {
  click: { reads: 0, object: 0.5, database: 0.16 },
  sale: { reads: 1, object: 0.54, database: 0.39 },
};
const roundMs = 1;

const callsOfRound = 100;
const maxWaiting = 1_000;
const maxWaitMs = 9_000;

const roundTrips = [10, 25, 50, 100];
const arrivals = [50, 100, 200, 300, 500, 750, 1_000, 1_500, 2_000];
const simulatedMs = 60_000;
/** Excluded while the queue reaches its usual length. */
const settlingMs = 10_000;
const seed = 20_261_117;

interface Outcome {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly callsPerCommit: number;
  readonly refusedShare: number;
}

/** Mulberry32: a seeded generator of numbers from 0 to 1. */
function randomFrom(start: number): () => number {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const commitTime = ({ object, database }: Work, roundTripMs: number, calls: number): number =>
  roundTripMs + roundMs + calls * (object + database);

const isCounted = (at: number) => at >= settlingMs;

/** Calls that arrive at random and wait. */
class Queue {
  readonly #untilNext: () => number;
  readonly #waiting: number[] = [];
  nextArrival: number;
  arrived = 0;
  refused = 0;

  constructor(perSecond: number) {
    const random = randomFrom(seed);
    this.#untilNext = () => (-Math.log(1 - random()) * 1_000) / perSecond;
    this.nextArrival = this.#untilNext();
  }

  arriveUntil(instant: number): void {
    for (; this.nextArrival <= instant; this.nextArrival += this.#untilNext()) {
      if (isCounted(this.nextArrival)) this.arrived += 1;
      if (this.#waiting.length < maxWaiting) this.#waiting.push(this.nextArrival);
      else if (isCounted(this.nextArrival)) this.refused += 1;
    }
  }

  /** Refuses those that have waited too long. */
  take(count: number, now: number): readonly number[] {
    const taken = this.#waiting.splice(0, count);
    this.refused += taken.filter((at) => now - at > maxWaitMs && isCounted(at)).length;
    return taken.filter((at) => now - at <= maxWaitMs);
  }
}

/** While a commit runs: a full round waits for its end alone. */
const nextEvent = ({ nextArrival }: Queue, round: readonly number[], commitEnd: number): number =>
  round.length === callsOfRound ? commitEnd : Math.min(nextArrival, commitEnd);

function simulate(work: Work, roundTripMs: number, perSecond: number): Outcome {
  const queue = new Queue(perSecond);
  const latencies: number[] = [];
  let [now, commits, commitEnd] = [0, 0, 0];
  while (now < simulatedMs) {
    const round: number[] = [];
    while (now < commitEnd || round.length === 0) {
      queue.arriveUntil(now);
      const taken = queue.take(callsOfRound - round.length, now);
      round.push(...taken);
      if (taken.length > 0) now += work.reads * roundTripMs;
      else now = now >= commitEnd ? queue.nextArrival : nextEvent(queue, round, commitEnd);
    }
    queue.arriveUntil(now);
    commitEnd = now + commitTime(work, roundTripMs, round.length);
    if (!isCounted(commitEnd)) continue;
    commits += 1;
    latencies.push(...round.map((at) => commitEnd - at));
  }
  latencies.sort((a, b) => a - b);
  const at = (share: number) => latencies[Math.floor(latencies.length * share)] ?? 0;
  return {
    perSecond: (latencies.length * 1_000) / (simulatedMs - settlingMs),
    p50: at(0.5),
    p99: at(0.99),
    callsPerCommit: latencies.length / commits,
    refusedShare: queue.refused / queue.arrived,
  };
}

const saturation = (work: Work, roundTripMs: number): number =>
  (callsOfRound * 1_000) / commitTime(work, roundTripMs, callsOfRound);

const head = ["round trip", "arrivals/s", "answered/s", "p50 ms", "p99 ms", "calls per commit", "refused"];
const sections = Object.entries(kinds).map(([kind, work]) => {
  const rows = roundTrips.flatMap((roundTripMs) =>
    arrivals.map((perSecond) => {
      const { perSecond: answered, p50, p99, callsPerCommit, refusedShare } = simulate(work, roundTripMs, perSecond);
      const share = refusedShare === 0 ? "0" : `${(refusedShare * 100).toFixed(1)}%`;
      const figures = [answered, p50, p99].map((figure) => figure.toFixed(0));
      return [`${roundTripMs} ms`, String(perSecond), ...figures, callsPerCommit.toFixed(1), share];
    }),
  );
  const ends = roundTrips.map((ms) => `${saturation(work, ms).toFixed(0)}/s at ${ms} ms`);
  const assumed = `${work.reads === 0 ? "nothing" : "one request"} to gather; ${work.object} ms of the object and ${work.database} ms of the database per call`;
  return { text: `A ${kind}: ${assumed}. Saturated at ${ends.join(", ")}.`, table: table(head, rows) };
});

const assumed = `${roundMs} ms of the object per round; arrivals at random, evenly; 50 s after 10 s of settling.`;
const report = {
  name: "simulation",
  markdown: [assumed, ...sections.map(({ text }) => text)].join("\n\n"),
  details: sections.map(({ table }) => table).join("\n\n"),
  data: { kinds, roundMs, sections },
};
await publish(report, values.write);
