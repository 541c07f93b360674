import { parseArgs } from "node:util";
import { table } from "./figures.ts";
import { publish } from "./results.ts";

// npm run bench:simulate: one Ledger as Cloudflare and a database some milliseconds away would let it run. Discrete
// events, no I/O, the same figures at every run. It has the loop of src/ledger/loop.ts: rounds of at most 100 calls one
// after another, each with a gather (which clicks don't need) beside the commit of the one before, then a commit of its
// own, to which all time of the object and the database is booked. So it has two requests to the database under way at
// a time, and the six connections that an object may have never bound it.

const { values } = parseArgs({ options: { write: { type: "boolean", default: false } } });

interface Work {
  /** Requests to the database that a gather makes. */
  readonly reads: 0 | 1;
  /** Milliseconds per call: of the object, and of the database. */
  readonly object: number;
  readonly database: number;
}

/** As `npm run bench` found them under workerd at 128 connections; another machine's are others. */
const kinds: Readonly<Record<string, Work>> = {
  click: { reads: 0, object: 0.5, database: 0.16 },
  sale: { reads: 1, object: 0.54, database: 0.39 },
};
/** Milliseconds of the object. */
const roundMs = 1;

/** As in the Ledger. */
const callsOfRound = 100;
const maxWaiting = 1_000;
const maxWaitMs = 9_000;

const roundTrips = [10, 25, 50, 100];
const arrivals = [50, 100, 200, 300, 500, 750, 1_000, 1_500, 2_000];
const simulatedMs = 60_000;
/** Not counted, while the queue finds its length. */
const settlingMs = 10_000;
const seed = 20_261_117;

interface Outcome {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly callsPerCommit: number;
  readonly refusedShare: number;
}

/** Mulberry32: numbers from 0 to 1, the same ones for the same seed. */
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

function simulate(work: Work, roundTripMs: number, perSecond: number): Outcome {
  const random = randomFrom(seed);
  const untilNext = () => (-Math.log(1 - random()) * 1_000) / perSecond;
  const waiting: number[] = [];
  const latencies: number[] = [];
  let [now, nextArrival, commits, refused, arrived] = [0, untilNext(), 0, 0, 0];
  const isCounted = (at: number) => at >= settlingMs;
  const arriveUntil = (instant: number) => {
    for (; nextArrival <= instant; nextArrival += untilNext()) {
      if (isCounted(nextArrival)) arrived += 1;
      if (waiting.length < maxWaiting) waiting.push(nextArrival);
      else if (isCounted(nextArrival)) refused += 1;
    }
  };

  let commitEnd = 0;
  while (now < simulatedMs) {
    const round: number[] = [];
    while (now < commitEnd || round.length === 0) {
      arriveUntil(now);
      const taken = waiting.splice(0, callsOfRound - round.length);
      const kept = taken.filter((at) => now - at <= maxWaitMs);
      refused += taken.filter((at) => now - at > maxWaitMs && isCounted(at)).length;
      round.push(...kept);
      if (kept.length > 0) now += work.reads * roundTripMs;
      else if (now >= commitEnd) now = nextArrival;
      else now = round.length === callsOfRound ? commitEnd : Math.min(nextArrival, commitEnd);
    }
    arriveUntil(now);
    commitEnd = now + commitTime(work, roundTripMs, round.length);
    if (!isCounted(commitEnd)) continue;
    commits += 1;
    for (const at of round) latencies.push(commitEnd - at);
  }
  latencies.sort((a, b) => a - b);
  const at = (share: number) => latencies[Math.floor(latencies.length * share)] ?? 0;
  return {
    perSecond: (latencies.length * 1_000) / (simulatedMs - settlingMs),
    p50: at(0.5),
    p99: at(0.99),
    callsPerCommit: latencies.length / commits,
    refusedShare: refused / arrived,
  };
}

/** Calls a second when full rounds follow each other without a pause. */
const saturation = (work: Work, roundTripMs: number): number =>
  (callsOfRound * 1_000) / commitTime(work, roundTripMs, callsOfRound);

const head = ["round trip", "arrivals/s", "answered/s", "p50 ms", "p99 ms", "calls per commit", "refused"];
const sections = Object.entries(kinds).map(([kind, work]) => {
  const rows = roundTrips.flatMap((roundTripMs) =>
    arrivals.map((perSecond) => {
      const { perSecond: answered, p50, p99, callsPerCommit, refusedShare } = simulate(work, roundTripMs, perSecond);
      const share = refusedShare === 0 ? "0" : `${(refusedShare * 100).toFixed(1)} %`;
      const figures = [answered, p50, p99].map((figure) => figure.toFixed(0));
      return [`${roundTripMs} ms`, String(perSecond), ...figures, callsPerCommit.toFixed(1), share];
    }),
  );
  const ends = roundTrips.map((ms) => `${saturation(work, ms).toFixed(0)}/s at ${ms} ms`);
  const assumed = `${work.reads === 0 ? "nothing" : "one request"} to gather; ${work.object} ms of the object and ${work.database} ms of the database per call`;
  return `A ${kind}: ${assumed}. Saturated at ${ends.join(", ")}.\n\n${table(head, rows)}`;
});

const assumed = `${roundMs} ms of the object per round; arrivals at random, evenly; 50 s after 10 s of settling.`;
const report = {
  name: "simulation",
  markdown: [assumed, ...sections].join("\n\n"),
  data: { kinds, roundMs, sections },
};
await publish(report, values.write);
