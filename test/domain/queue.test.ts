import { describe, expect, it } from "vitest";
import { LockSet } from "#engine/lock-set.ts";
import { type Limits, Queue, type QueuedCall } from "#engine/queue.ts";

interface Call extends QueuedCall {
  readonly name: string;
}
const call = (name: string, lineId = 1, more: Partial<QueuedCall> = {}): Call => ({
  name,
  lineId,
  lane: "money",
  isExclusive: false,
  ...more,
});
/** Creates calls of one program. `3.2` is the second call of program 3. */
const several = (count: number, lineId: number, more?: Partial<QueuedCall>) =>
  Array.from({ length: count }, (_, i) => call(`${lineId}.${i + 1}`, lineId, more));
const locked = (...exclusive: string[]) => ({ deferredLocks: { exclusive } });
const heldBy = (...exclusive: string[]) => {
  const held = new LockSet();
  held.add({ exclusive });
  return held;
};
const exclusive = { lane: "control", isExclusive: true } as const;

/** Programs with these ids and above are unknown. */
const strangersFrom = 1_000;

function queueOf(calls: readonly Call[], limits: Partial<Limits> = {}) {
  const queue = new Queue<Call>({
    total: 100,
    bytes: 100,
    perLine: 50,
    perRound: 4,
    trafficBesideMoney: 4,
    blockedPerRound: 2,
    rowsPerRound: 100,
    ...limits,
  });
  const dropped = calls.flatMap((each) => queue.add(each, each.lineId < strangersFrom) ?? []);
  const names = (taken: readonly Call[]) => taken.map(({ name }) => name);
  return {
    queue,
    dropped: names(dropped),
    take: (underWay?: LockSet) => names(queue.take(queue.intake(underWay))),
    names,
  };
}

it("waiting calls are counted by lane (money, traffic or control), including exclusive calls", () => {
  const { queue, take } = queueOf([
    ...several(3, 1),
    call("a click", 2, { lane: "traffic" }),
    call("a change", 2, exclusive),
  ]);
  expect(queue.sizes).toEqual({ money: 3, traffic: 1, control: 1 });
  expect(take()).toHaveLength(4);
  expect(queue.sizes).toEqual({ money: 0, traffic: 0, control: 1 });
});

describe("calls of unknown programs", () => {
  const strangers = (count: number, more?: Partial<QueuedCall>) =>
    Array.from({ length: count }, (_, i) => call(`stranger ${i}`, strangersFrom + i, more));

  it("calls of unknown programs share the turns of one program, and the oldest of these calls comes first", () => {
    const { take } = queueOf([...strangers(6), ...several(4, 1)]);
    expect(take()).toEqual(["stranger 0", "1.1", "stranger 1", "1.2"]);
    expect(take()).toEqual(["stranger 2", "1.3", "stranger 3", "1.4"]);
    expect(take()).toEqual(["stranger 4", "stranger 5"]);
  });

  it("calls of unknown programs share the capacity that one program has in a lane of the queue", () => {
    const { dropped, queue } = queueOf([...strangers(5), ...several(2, 1)], { perLine: 3 });
    expect(dropped).toEqual(["stranger 3", "stranger 4"]);
    expect(queue.size).toBe(5);
  });

  it("calls of unknown programs lose their newest call if the queue is full", () => {
    const { dropped } = queueOf([...several(2, 1), ...strangers(4), ...several(1, 2)], { total: 6 });
    expect(dropped).toEqual(["stranger 3"]);
  });
});

describe("while calls about money arrive", () => {
  const traffic = { lane: "traffic" } as const;
  const limits = { total: 1_000, perLine: 1_000, perRound: 6, trafficBesideMoney: 2 };

  it("while calls about money arrive, a batch takes few clicks, so that the next sale doesn't wait for many clicks", () => {
    const { take } = queueOf([...several(10, 1, traffic), call("a sale")], limits);
    expect(take()).toHaveLength(6);
    expect(take()).toHaveLength(2);
  });

  it("while sales and refunds arrive, a batch that is still open accepts another sale, but no more clicks", () => {
    const { queue, names } = queueOf([...several(10, 1, traffic), call("a sale")], limits);
    queue.take(queue.intake());
    const intake = queue.intake();
    expect(queue.take(intake)).toHaveLength(2);
    queue.add(call("another sale"), true);
    expect(names(queue.take(intake))).toEqual(["another sale"]);
    expect(queue.take(intake)).toEqual([]);
  });

  it("while calls about money arrive, a batch takes a sixth of the waiting clicks if many wait", () => {
    const { take } = queueOf([...several(29, 1, traffic), call("a sale")], limits);
    expect(take()).toHaveLength(6);
    expect(take()).toHaveLength(4);
    expect(take()).toHaveLength(4);
    expect(take()).toHaveLength(3);
  });

  it.each([
    [20, 2],
    [21, 6],
  ])("%i batches after the last call about money, a batch of calls takes up to %i clicks", (rounds, expected) => {
    const { queue, take } = queueOf([call("a sale")], limits);
    for (let round = 0; round < rounds; round += 1) take();
    for (const each of several(10, 1, traffic)) queue.add(each, true);
    expect(take()).toHaveLength(expected);
  });

  it("a batch takes as many clicks as fit while a settings change waits for earlier clicks, even if calls about money arrive", () => {
    const { take } = queueOf([call("a sale"), ...several(12, 1, traffic), call("a change", 1, exclusive)], limits);
    expect([take().length, take().length, take().length]).toEqual([6, 6, 1]);
    expect(take()).toEqual(["a change"]);
  });
});

describe("a batch of calls", () => {
  it("a batch takes calls from each program in turn, oldest first, and begins with the programs that the last batch left out", () => {
    const { take } = queueOf([
      ...several(6, 1),
      ...several(2, 2),
      ...several(1, 3),
      ...several(1, 4),
      ...several(1, 5),
    ]);
    expect(take()).toEqual(["1.1", "2.1", "3.1", "4.1"]);
    expect(take()).toEqual(["5.1", "1.2", "2.2", "1.3"]);
    expect(take()).toEqual(["1.4", "1.5", "1.6"]);
    expect(take()).toEqual([]);
  });

  it("a batch takes calls from each lane (money, traffic or control) in turn", () => {
    const { take } = queueOf([
      ...several(5, 1, { lane: "traffic" }),
      call("key", 1, { lane: "control" }),
      ...several(3, 2),
    ]);
    expect(take()).toEqual(["2.1", "1.1", "key", "2.2"]);
  });

  it("a batch takes calls up to its capacity in total, even if it takes them in several steps", () => {
    const { queue } = queueOf(several(9, 1));
    const intake = queue.intake();
    expect(queue.take(intake)).toHaveLength(4);
    expect(queue.take(intake)).toEqual([]);
    expect(queue.size).toBe(5);
  });

  it("a batch takes requeued calls in their original order", () => {
    const { queue, take } = queueOf(several(6, 1));
    queue.requeue(queue.take(queue.intake()).toReversed());
    expect(queue.size).toBe(6);
    expect(take()).toEqual(["1.1", "1.2", "1.3", "1.4"]);
  });
});

describe("calls deferred by a lock", () => {
  it("calls deferred by a lock are taken three at a time if the lock is exclusive, as the first may change nothing, and all at once if it is shared", () => {
    const shared = { deferredLocks: { exclusive: [], shared: ["c"] } };
    const hot = Array.from({ length: 5 }, (_, i) => call(`a${i}`, 1, locked("a")));
    const { take } = queueOf([...hot, ...Array.from({ length: 5 }, (_, i) => call(`c${i}`, 2, shared))], {
      perRound: 20,
    });
    expect(take()).toEqual(["a0", "a1", "a2", "c0", "c1", "c2", "c3", "c4"]);
  });

  it("calls deferred by a lock are all taken in one batch if they belong to the same chain", () => {
    const chain = Array.from({ length: 5 }, (_, i) => call(`a${i}`, 1, { ...locked("a"), chain: "a" }));
    expect(queueOf(chain, { perRound: 20 }).take()).toHaveLength(5);
  });

  it("calls deferred by a lock stay in the queue while the current commit has the lock, and other calls are taken meanwhile", () => {
    const { take } = queueOf([call("a", 1, locked("x")), ...several(2, 1)]);
    expect(take(heldBy("x"))).toEqual(["1.1", "1.2"]);
    expect(take(heldBy("x"))).toEqual([]);
    expect(take()).toEqual(["a"]);
  });

  it("calls deferred by a lock are taken before all other calls, in their order of arrival, whatever their lanes", () => {
    const older = call("older", 1, { ...locked("x"), lane: "control" });
    const { take } = queueOf([call("new", 2), older, call("younger", 1, locked("x"))]);
    expect(take()).toEqual(["older", "younger", "new"]);
  });

  it("calls deferred by a lock that don't fit into a batch block later calls that need the same lock", () => {
    const { queue, names } = queueOf([...several(3, 1), ...several(3, 2), call("a", 1, locked("x"))]);
    const intake = queue.intake();
    expect(names(queue.take(intake))).toEqual(["1.1", "2.1", "1.2", "2.2"]);
    expect(intake.skipped.conflictsWith({ exclusive: ["x"] })).toBe(true);
  });

  it("calls deferred by a lock aren't overtaken by later calls that need one of the same locks", () => {
    const { queue, names } = queueOf([
      call("first", 1, locked("x", "y")),
      call("second", 1, locked("y")),
      call("third", 1, locked("z")),
    ]);
    const intake = queue.intake(heldBy("x"));
    expect(names(queue.take(intake))).toEqual(["third"]);
    expect(intake.skipped.conflictsWith({ exclusive: ["y"] })).toBe(true);
    expect(intake.skipped.conflictsWith({ exclusive: ["z"] })).toBe(false);
  });
});

describe("an exclusive call", () => {
  it("an exclusive call is taken alone, after the earlier and before the later calls of the same program", () => {
    const { take } = queueOf([call("a"), call("alone", 1, exclusive), call("b"), call("other", 2)]);
    expect([take(), take(), take()]).toEqual([["a", "other"], ["alone"], ["b"]]);
  });

  it("an exclusive call waits neither for calls deferred by a lock nor for calls of other programs", () => {
    const { take } = queueOf([call("hot", 1, locked("x")), ...several(9, 2), call("alone", 1, exclusive)]);
    expect(take(heldBy("x"))).toEqual([]);
    expect(take()).toEqual(["alone"]);
    expect(take()).toEqual(["hot", "2.1", "2.2", "2.3"]);
  });

  it("after an exclusive call, other calls are taken before the next exclusive call", () => {
    const { take } = queueOf([
      call("alone 1", 1, exclusive),
      call("alone 2", 1, exclusive),
      call("alone 3", 2, exclusive),
      call("a", 3),
    ]);
    expect([take(), take(), take(), take(), take()]).toEqual([["alone 1"], ["a"], ["alone 3"], ["alone 2"], []]);
  });
});

describe("a full queue", () => {
  it("the queue drops a program's calls above its limit in a lane, and accepts its calls in other lanes and the calls of other programs", () => {
    const { dropped, queue } = queueOf([...several(5, 1), call("other lane", 1, { lane: "traffic" }), call("2", 2)], {
      perLine: 3,
    });
    expect(dropped).toEqual(["1.4", "1.5"]);
    expect(queue.size).toBe(5);
  });

  it("a full queue drops the newest call of the program with the most waiting calls", () => {
    const clicks = several(6, 1, { lane: "traffic" });
    const { dropped, queue } = queueOf([...clicks, ...several(3, 2), ...several(3, 3)], { total: 9 });
    expect(dropped).toEqual(["1.6", "1.5", "1.4"]);
    expect(queue.size).toBe(9);
  });

  it("a full queue drops the incoming call if all programs have equally many calls waiting", () => {
    const { dropped } = queueOf(
      Array.from({ length: 5 }, (_, i) => call(`${i}`, i)),
      { total: 3 },
    );
    expect(dropped).toEqual(["3", "4"]);
  });
});

it("the queue removes expired calls, or all calls, in the order of arrival", () => {
  const { queue, names } = queueOf([
    ...several(3, 1),
    ...several(2, 2, { lane: "traffic" }),
    call("3.1", 1, exclusive),
  ]);
  expect(names(queue.removeExpired(({ name }) => name.endsWith(".1")))).toEqual(["1.1", "2.1", "3.1"]);
  expect(names(queue.removeAll())).toEqual(["1.2", "1.3", "2.2"]);
  expect(queue.size).toBe(0);
});

describe("the rows that deferred calls read", () => {
  const heavy = (name: string, rows: number, chain?: string) => call(name, 1, { ...locked(name), rows, chain });

  it("the rows that deferred calls read limit a batch: each call counts separately, but all calls of a chain count as one", () => {
    const chain = "sale";
    const { take } = queueOf(
      [heavy("a", 60), heavy("b", 60), heavy("c", 40), heavy("d", 90, chain), heavy("e", 90, chain), call("new", 1)],
      { perRound: 10 },
    );
    expect(take()).toEqual(["a", "c", "new"]);
    expect(take()).toEqual(["b"]);
    expect(take()).toEqual(["d", "e"]);
  });

  it("a deferred call is taken eventually, however many rows it reads", () => {
    const { take } = queueOf([heavy("a", 1_000), heavy("b", 1)]);
    expect(take()).toEqual(["a"]);
    expect(take()).toEqual(["b"]);
  });
});

it("the queue rejects long calls above a limit of bytes, half of which is the limit for one program, but never short calls", () => {
  const long = (name: string, lineId: number, bytes = 20) => call(name, lineId, { bytes });
  const one = [long("1.1", 1), long("1.2", 1), long("1.3", 1), call("1.4", 1), long("1.5", 1, 10)];
  const others = [long("2.1", 2), long("2.2", 2), long("3.1", 3), long("3.2", 3, 10), call("3.3", 3)];
  const { queue, dropped } = queueOf([...one, ...others]);
  expect(dropped).toEqual(["1.3", "3.1"]);
  queue.take(queue.intake());
  expect(queue.add(long("3.4", 3), true)).toBeUndefined();
});

describe("the bytes of a call", () => {
  const fits = (queue: Queue<Call>) => queue.add(call("long", 1, { bytes: 50 }), true) === undefined;
  const half = call("half", 1, { bytes: 50 });

  it("the bytes of a call are released when the call is taken, expired or dropped, and reserved again when it is requeued", () => {
    const { queue } = queueOf([half], { perLine: 2 });
    const taken = queue.take(queue.intake());
    queue.requeue(taken);
    expect(fits(queue)).toBe(false);
    queue.removeExpired(() => true);
    expect(fits(queue)).toBe(true);
    queue.removeAll();
    for (const each of [call("a"), call("b")]) queue.add(each, true);
    expect(queue.add(half, true)).toBe(half);
    queue.removeAll();
    expect(fits(queue)).toBe(true);
  });

  it("the bytes of a call are read only a few times, however many other calls wait", () => {
    let looks = 0;
    const watched = Array.from({ length: 500 }, (_, i) => ({
      ...call(`${i}`, i % 7),
      get bytes() {
        looks += 1;
        return 1;
      },
    }));
    const { queue } = queueOf([], { total: 1_000, bytes: 1_000_000, perLine: 1_000 });
    for (const each of watched) queue.add(each, true);
    queue.removeAll();
    expect(queue.size).toBe(0);
    expect(looks).toBeLessThanOrEqual(4 * watched.length);
  });
});
