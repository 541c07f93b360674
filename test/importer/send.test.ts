import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  addUp,
  type CallAnswer,
  type ImportCall,
  type PreparedRow,
  type RowResult,
  type Sender,
  type SendOptions,
  sendRows,
  splitCalls,
} from "../../importer/index.ts";

const rowsOf = (count: number, text = "x"): PreparedRow[] =>
  Array.from({ length: count }, (_, i) => ({ line: i + 2, name: text }));

/** Responds like the service: rows that were imported before are unchanged, and some rows are refused. */
function service() {
  const known = new Set<number>();
  const resultOf = ({ line }: PreparedRow, isDryRun: boolean): RowResult => {
    if (line % 7 === 0) return { line, result: "refused", code: line % 2 ? "differs" : "invalid_value", field: "name" };
    const result = known.has(line) ? "unchanged" : "created";
    if (!isDryRun) known.add(line);
    const effects = { sales: line % 3, amounts: [{ currency: line % 2 ? "EUR" : "USD", cents: line }] };
    return { line, result, ...(line % 5 === 0 && { warnings: ["same_email"] }), ...(line % 3 > 0 && { effects }) };
  };
  const take = ({ rows, isDryRun }: ImportCall): CallAnswer => ({
    is: "answered",
    rows: rows.map((row) => resultOf(row, isDryRun)),
  });
  return { known, take };
}

const common = { kind: "partners", source: "Test", update: false, isDryRun: false } as const;

/** Sends without waiting. Returns the pauses that the importer asked for. */
async function run(send: Sender, rows: readonly PreparedRow[], options: Partial<SendOptions> = {}) {
  const waits: number[] = [];
  const wait = async (ms: number) => void waits.push(ms);
  let ms = 0;
  // Each call comes a minute later, so that no call is too early.
  const now = () => {
    ms += 60_000;
    return ms;
  };
  return { ...(await sendRows({ ...common, rows, send, wait, now, ...options })), waits };
}

describe("the calls of an import", () => {
  test("the calls of an import have at most 100 rows each, in the order of the file", () => {
    const rows = rowsOf(250);
    const calls = splitCalls(rows);
    expect(calls.map((call) => call.length)).toEqual([100, 100, 50]);
    expect(calls.flat()).toEqual(rows);
    expect(splitCalls([])).toEqual([]);
  });

  test("the calls of an import have at most 512 KiB each", () => {
    // These characters need two bytes each in UTF-8, or six where JSON escapes them.
    for (const text of ["ü".repeat(9_000), "\u0001".repeat(2_048 * 9)]) {
      const calls = splitCalls(rowsOf(100, text));
      expect(calls.length).toBeGreaterThan(2);
      expect(calls.flat()).toHaveLength(100);
      for (const rows of calls) {
        const body = JSON.stringify({ kind: "customers", source: "ü".repeat(40), update: true, dry_run: true, rows });
        expect(Buffer.byteLength(body)).toBeLessThanOrEqual(512 * 1024);
      }
    }
  });
});

describe("the replies to an import", () => {
  test("the replies to an import are added up", () => {
    const effects = (sales: number, ...amounts: [string, number][]) => ({
      sales,
      amounts: amounts.map(([currency, cents]) => ({ currency, cents })),
    });
    const tally = addUp([
      { line: 2, result: "created", id: 1, effects: effects(2, ["USD", 5], ["EUR", 3]) },
      { line: 3, result: "updated", warnings: ["same_email"] },
      { line: 4, result: "unchanged", effects: effects(1, ["EUR", 4]) },
      { line: 5, result: "refused", code: "differs" },
      ...[6, 7, 8, 9, 10, 11].map((line) => ({ line, result: "refused", code: "code_taken", field: "code" }) as const),
    ]);
    expect(tally).toMatchObject({ rows: 10, created: 1, updated: 1, unchanged: 1, refused: 7 });
    expect(tally.refusals).toEqual([
      { code: "differs", count: 1, lines: [5] },
      { code: "code_taken", count: 6, lines: [6, 7, 8, 9, 10] },
    ]);
    expect(tally.warnings).toEqual([{ code: "same_email", count: 1, lines: [3] }]);
    expect(tally.effects).toEqual(effects(3, ["EUR", 7], ["USD", 5]));
    expect(tally.refusedRows[0]).toEqual({ line: 5, code: "differs", field: "" });
  });

  test("the progress of an import is reported after each reply", async () => {
    const seen: [number, number][] = [];
    const { ended } = await run(async (call) => service().take(call), rowsOf(250), {
      onProgress: ({ rows }, total) => void seen.push([rows, total]),
    });
    expect(ended).toBe("done");
    expect(seen).toEqual([
      [100, 250],
      [200, 250],
      [250, 250],
    ]);
  });

  test("an import ends if a reply lacks a row that was sent", async () => {
    const { ended, tally } = await run(async () => ({ is: "answered", rows: [] }), rowsOf(1));
    expect([ended, tally.rows]).toEqual(["refused", 0]);
  });
});

describe("a call of an import", () => {
  test("a call of an import is sent again with the same rows if its reply is lost, and no row is imported twice", async () => {
    const { known, take } = service();
    const calls: ImportCall[] = [];
    const { ended, tally, waits } = await run(async (call) => {
      calls.push(call);
      const answer = take(call);
      if (calls.length === 2) throw new Error("fetch failed");
      return answer;
    }, rowsOf(150));
    expect(ended).toBe("done");
    expect(calls.map(({ rows }) => rows[0]?.line)).toEqual([2, 102, 102]);
    expect(calls[2]).toEqual(calls[1]);
    expect(waits).toEqual([250]);
    expect(tally.rows).toBe(150);
    expect(known.size).toBe(tally.created + tally.unchanged);
  });

  test("a call of an import is sent again after the pause that the service requests, however long the service is busy", async () => {
    const { take } = service();
    let calls = 0;
    const { ended, waits } = await run(
      async (call) => {
        calls += 1;
        return calls > 20 ? take(call) : { is: "again", why: "Too many requests.", retryAfterMs: 7_000, isBusy: true };
      },
      rowsOf(3),
      { giveUpAfterMs: 1_000 },
    );
    expect(ended).toBe("done");
    expect(waits).toEqual(Array(20).fill(7_000));
  });

  test("a call of an import that gets no reply is sent again until the time limit, and then the import ends", async () => {
    const { ended, why, tally, waits } = await run(async () => Promise.reject(new Error("no route")), rowsOf(3), {
      giveUpAfterMs: 5_000,
    });
    expect({ ended, why, rows: tally.rows }).toEqual({ ended: "unreachable", why: "no route", rows: 0 });
    expect(waits).toEqual([250, 500, 1_000, 2_000]);
  });

  test("a call of an import isn't sent again if the service refuses the whole call", async () => {
    const { ended, why, waits } = await run(async () => ({ is: "refused", why: "Wrong scope." }), rowsOf(3));
    expect({ ended, why, waits }).toEqual({ ended: "refused", why: "Wrong scope.", waits: [] });
  });
});

test("an aborted import ends before its next call, or while it waits for the service", async () => {
  const { take } = service();
  const between = new AbortController();
  const first = await run(async (call) => take(call), rowsOf(250), {
    signal: between.signal,
    onProgress: () => between.abort(),
  });
  expect([first.ended, first.tally.rows]).toEqual(["aborted", 100]);

  const waiting = new AbortController();
  const sent = sendRows({
    ...common,
    rows: rowsOf(3),
    signal: waiting.signal,
    send: async () => ({ is: "again", why: "busy", retryAfterMs: 300_000, isBusy: true }),
    onPause: () => void setTimeout(() => waiting.abort(), 5),
  });
  expect((await sent).ended).toBe("aborted");
});

test.each([
  [300_001, "6 min"],
  [7_200_001, "3 h"],
])("an import ends if the service requests a pause of %s ms", async (retryAfterMs, shown) => {
  const { take } = service();
  let calls = 0;
  const sent = await run(async (call) => {
    calls += 1;
    return calls > 1 ? { is: "again", why: "Too many requests.", retryAfterMs, isBusy: true } : take(call);
  }, rowsOf(250));
  expect(sent).toMatchObject({
    ended: "refused",
    why: `Too many requests. Try again in ${shown}.`,
    tally: { rows: 100 },
  });
  expect(calls).toBe(2);
});

test("the result of an import is the same however its rows are split, interrupted and sent again", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 0, max: 230 }),
      fc.array(fc.constantFrom("lost before", "lost after", "busy", "taken"), { maxLength: 12 }),
      fc.integer({ min: 0, max: 5 }),
      fc.integer({ min: 1, max: 130 }),
      async (count, faults, abortedAfter, cut) => {
        const rows = rowsOf(count);
        const whole = service();
        const expected = (await run(async (call) => whole.take(call), rows)).tally;

        const own = service();
        const left = [...faults];
        const faulty: Sender = async (call) => {
          const fault = left.shift();
          if (fault === "busy") return { is: "again", why: "busy", retryAfterMs: 1, isBusy: true };
          if (fault === "lost before") throw new Error("lost");
          const answer = own.take(call);
          if (fault === "lost after") throw new Error("lost");
          return answer;
        };
        const controller = new AbortController();
        let calls = 0;
        await run(faulty, rows, {
          signal: controller.signal,
          onProgress: () => {
            calls += 1;
            if (calls > abortedAfter) controller.abort();
          },
        });
        const parts = Array.from({ length: Math.ceil(count / cut) }, (_, i) => rows.slice(i * cut, (i + 1) * cut));
        const results: RowResult[] = [];
        for (const part of parts) results.push(...(await run(faulty, part)).results);
        const again = addUp(results);

        expect(own.known).toEqual(whole.known);
        expect(again.created + again.updated + again.unchanged + again.refused).toBe(count);
        expect(again.created + again.unchanged).toBe(expected.created);
        expect({ ...again, created: 0, unchanged: 0 }).toEqual({ ...expected, created: 0, unchanged: 0 });
      },
    ),
  );
});

test.each([
  [false, [500, 1_000]],
  [true, [60_000 / 720, 2 * (60_000 / 720)]],
])(
  "the calls of an import are spread evenly, so that they don't delay sales: dry run %s",
  async (isDryRun, expected) => {
    const { waits } = await run(async (call) => service().take(call), rowsOf(250), { isDryRun, now: () => 0 });
    expect(waits).toEqual(expected);
  },
);
