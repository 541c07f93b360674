import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { RefusedStatement, Superseded, Unreachable } from "#engine/writer.ts";
import { FencedWriter } from "#ledger/fenced-writer.ts";
import { type Database, openDatabase } from "#store/database.ts";
import type { Statement, Write } from "#store/statement.ts";
import { isWhole } from "../support/breadth.ts";
import { isolatedDatabase } from "../support/isolated-database.ts";

const clock = {
  now: () => Date.now(),
  sleep: (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms)),
  random: Math.random,
};

const own = isolatedDatabase({ engine: "sqld" });
let direct: Database;
beforeAll(() => {
  direct = openDatabase({ url: own.server.url, authToken: undefined });
});
afterEach(() => own.proxy.heal());

const run = (sql: string, ...args: (string | number)[]): Statement => ({ sql, args });
const insert = (id: string): Write => ({
  kind: "write",
  sql: "insert into workspaces (id, name, created_at) values (?, 'W', 1) returning id",
  args: [id],
});
const rows = async (sql: string) => (await direct.read([run(sql)]))[0] ?? [];
const count = async (id: string) =>
  Number((await direct.read([run("select count(*) from workspaces where id = ?", id)]))[0]?.[0]?.[0]);
const seq = async () => Number((await rows("select seq from ledger_writers"))[0]?.[0]);

/**
 * A timeout longer than a busy machine needs. After a timeout, the writer would send a second claim, with another
 * epoch.
 */
const patientMs = 30_000;

const writerOn = (url = own.proxy.url, timeoutMs = 500) =>
  new FencedWriter(openDatabase({ url, authToken: undefined }, { timeoutMs }), clock);

/** Claims the database with a writer whose retries don't wait. */
async function claimedAtOnce(): Promise<FencedWriter> {
  const database = openDatabase({ url: own.proxy.url, authToken: undefined }, { timeoutMs: 500 });
  const writer = new FencedWriter(database, { ...clock, sleep: async () => {} });
  await writer.claim();
  return writer;
}

async function claimed(url?: string): Promise<FencedWriter> {
  const writer = writerOn(url);
  await writer.claim();
  return writer;
}

let name: string;
beforeEach(() => {
  name = crypto.randomUUID();
});

describe("the fence in the database", () => {
  // The fence statement of the previous release. The writer of this release has its own.
  const fence = (epoch: number, next: number) =>
    run("update ledger_writers set epoch = ?, seq = ? where name = 'main'", epoch, next);
  const place = async () => {
    const [row] = await rows("select epoch, seq from ledger_writers where name = 'main'");
    return { epoch: Number(row?.[0]), seq: Number(row?.[1]) };
  };

  it("the fence in the database accepts the writer's next batch, and accepts no batch twice", async () => {
    await claimed();
    const { epoch } = await place();
    const batch = [fence(epoch, 1), insert(name)];
    await direct.write(batch);
    await expect(direct.write(batch)).rejects.toMatchObject({ fault: { kind: "statement", index: 0 } });
    expect(await count(name)).toBe(1);
  });

  it.each([
    ["a batch that skips a sequence number", { epoch: 0, seq: 2 }],
    ["a batch that repeats the sequence number", { epoch: 0, seq: 0 }],
    ["a batch of an older epoch", { epoch: -1, seq: 9 }],
    ["a batch of a later epoch that no writer has claimed", { epoch: 1, seq: 1 }],
  ])("the fence in the database rejects %s", async (_what, step) => {
    await claimed();
    const { epoch, seq } = await place();
    const late = [fence(epoch + step.epoch, seq + step.seq), insert(name)];
    await expect(direct.write(late)).rejects.toMatchObject({ fault: { kind: "statement", index: 0 } });
    expect(await count(name)).toBe(0);
  });

  it("the fence in the database rejects the deletion of its row", async () => {
    await claimed();
    await expect(direct.write([run("delete from ledger_writers")])).rejects.toMatchObject({
      fault: { kind: "statement" },
    });
  });
});

describe("the writer", () => {
  it("the writer assigns the ids that follow the highest ids in the database", async () => {
    const writer = await claimed();
    const first = writer.newId("sales");
    expect(writer.newId("sales")).toBe(first + 1);
    expect(writer.newId("refunds")).toBe(1);
  });

  it("the writer writes a batch once if the reply is lost after the commit, and finds the batch in the database", async () => {
    const writer = await claimed();
    const before = await seq();
    own.proxy.inject({ kind: "cut" }, { only: "writes", times: 1 });
    expect(await writer.write([insert(name)])).toBeUndefined();
    expect(await count(name)).toBe(1);
    expect(await seq()).toBe(before + 1);
    expect(await writer.write([insert(`${name}-2`)])).toHaveLength(1);
  });

  it("the writer writes a batch once when the request times out", async () => {
    const writer = await claimed();
    own.proxy.inject({ kind: "late", ms: 1_000 }, { only: "writes", times: 1 });
    expect(await writer.write([insert(name)])).toBeUndefined();
    expect(await count(name)).toBe(1);
  });

  it.each([
    ["refuses the connection", { kind: "refuse" }],
    ["responds 500", { kind: "answer", status: 500 }],
    ["responds with something other than JSON", { kind: "answer", status: 200, body: "<html>" }],
  ] as const)("the writer retries a batch if the database twice %s", async (_what, fault) => {
    const writer = await claimed();
    own.proxy.inject(fault, { only: "writes", times: 2 });
    expect(await writer.write([insert(name)])).toEqual([[expect.objectContaining({ 0: name })]]);
    expect(await count(name)).toBe(1);
  });

  it("the writer reports the database as unreachable, claims it again when it is back, and continues", async () => {
    const writer = await claimed();
    const lift = own.proxy.inject({ kind: "refuse" });
    await expect(writer.write([insert(name)])).rejects.toBeInstanceOf(Unreachable);
    expect(writer.isClaimed).toBe(false);
    lift();
    await writer.claim();
    await writer.write([insert(name)]);
    expect(await count(name)).toBe(1);
  });

  it("the writer reports which statement the database rejected, and its batch has no effect", async () => {
    const writer = await claimed();
    await writer.write([insert(name)]);
    const refused = writer.write([insert(`${name}-2`), insert(name)]);
    await expect(refused).rejects.toBeInstanceOf(RefusedStatement);
    await expect(refused).rejects.toMatchObject({ index: 1 });
    expect(await count(`${name}-2`)).toBe(0);
    await writer.write([insert(`${name}-2`)]);
    expect(await count(`${name}-2`)).toBe(1);
  });

  describe("a claim of the database by its writer, which compares the database with the writer's last batch", () => {
    it.each<[string, (writer: FencedWriter) => Promise<unknown>]>([
      ["nothing was written", async () => undefined],
      ["the database contains the last batch", (writer) => writer.write([insert(name)])],
      [
        "the database contains a batch with an unknown outcome",
        async (writer) => {
          own.proxy.inject({ kind: "refuse" });
          own.proxy.inject({ kind: "cut" }, { only: "writes", times: 1 });
          await expect(writer.write([insert(name)])).rejects.toBeInstanceOf(Unreachable);
          own.proxy.heal();
          expect(await count(name)).toBe(1);
        },
      ],
      [
        "the database lacks a batch with an unknown outcome",
        async (writer) => {
          const lift = own.proxy.inject({ kind: "refuse" });
          await expect(writer.write([insert(name)])).rejects.toBeInstanceOf(Unreachable);
          lift();
        },
      ],
    ])("a repeated claim of the database detects no other writer or restore if %s", async (_what, happen) => {
      const writer = await claimedAtOnce();
      await happen(writer);
      expect(await writer.claim()).toMatchObject({ isContinued: true });
    });

    it.each<[string, (writer: FencedWriter) => Promise<unknown>]>([
      ["another instance was the writer", () => claimed()],
      ["the epoch was raised", () => direct.write([run("update ledger_writers set epoch = epoch + 1, seq = 0")])],
      [
        "a restore has undone the last batch",
        async (writer) => {
          const copy = await own.server.backup();
          await writer.write([insert(name)]);
          await own.server.restore(copy);
        },
      ],
      [
        "a restore has undone the last claim",
        async (writer) => {
          const copy = await own.server.backup();
          await writer.claim();
          await own.server.restore(copy);
        },
      ],
    ])("a repeated claim of the database detects another writer or a restore if %s", async (_what, happen) => {
      const writer = await claimed();
      await happen(writer);
      expect(await writer.claim()).toMatchObject({ isContinued: false });
    });

    it("a claim of the database uses the stored epoch and batch number if the process has just started", async () => {
      const writer = writerOn(own.proxy.url, patientMs);
      await writer.claim();
      const { epoch } = await writer.claim();
      await writer.write([insert(name)]);
      const copy = await own.server.backup();
      const continues = async (remembered: { epoch: number; seq: number } | undefined) => {
        const { isContinued } = await writerOn(own.proxy.url, patientMs).claim(remembered);
        await own.server.restore(copy);
        return isContinued;
      };
      expect(await continues(undefined)).toBe(false);
      expect(await continues({ epoch, seq: 1 })).toBe(true);
      expect(await continues({ epoch, seq: 2 })).toBe(false);
      if (!isWhole) return;
      expect(await continues({ epoch, seq: 0 })).toBe(true);
      expect(await continues({ epoch: epoch + 1, seq: 0 })).toBe(false);
    });
  });
});

it("a resent batch has no second effect, even if its writer has claimed the database again since", async () => {
  let onPause = async () => {};
  const database = openDatabase({ url: own.proxy.url, authToken: undefined }, { timeoutMs: 500 });
  const writer = new FencedWriter(database, { ...clock, sleep: () => onPause() });
  await writer.claim();
  await writer.write([insert(name)]);
  onPause = async () => void (await writer.claim());
  own.proxy.inject({ kind: "cut" }, { only: "writes", times: 1 });
  const rename = { ...run("update workspaces set name = name || '!' where id = ?", name), kind: "write" } as const;
  await expect(writer.write([rename])).rejects.toBeInstanceOf(Superseded);
  expect(await rows(`select name from workspaces where id = '${name}'`)).toEqual([["W!"]]);
});

describe("a restore from a backup", () => {
  it("a restore from a backup supersedes a running writer with a later epoch, even after the restored epoch is raised", async () => {
    const writer = await claimed();
    const copy = await own.server.backup();
    await writer.claim();
    await writer.claim();
    await own.server.restore(copy);
    await direct.write([run("update ledger_writers set epoch = epoch + 1, seq = 0")]);
    await expect(writer.write([insert(name)])).rejects.toBeInstanceOf(Superseded);
    expect(await count(name)).toBe(0);
  });

  it("a restore from a backup makes the writer discard reads without its committed writes, and report the database as unreachable", async () => {
    const writer = await claimedAtOnce();
    const copy = await own.server.backup();
    await writer.write([insert(name)]);
    await own.server.restore(copy);
    await expect(writer.read([run("select 1")])).rejects.toBeInstanceOf(Unreachable);
    await writer.claim();
    expect(await writer.read([run("select 1")])).toEqual([[expect.objectContaining({ 0: 1 })]]);
  });

  it("a restore from a backup makes the next ids skip once all ids that may have been used since the backup", async () => {
    const writer = await claimedAtOnce();
    const last = writer.newId("referralLinks");
    const copy = await own.server.backup();
    await writer.write([insert(name)]);
    await own.server.restore(copy);
    await writer.claim();
    const leapt = writer.newId("referralLinks");
    expect(leapt).toBeGreaterThan(last + 999_999_999);
    await writer.claim();
    expect(writer.newId("referralLinks")).toBe(leapt);
    const next = writerOn();
    await next.claim();
    expect(next.newId("referralLinks")).toBe(leapt);
    expect(Number.isSafeInteger(leapt * 10_000)).toBe(true);
  });

  it("a database that lacks the writer's row after a restore is unusable until a writer claims it", async () => {
    const writer = await claimedAtOnce();
    const [[stay] = []] = await direct.read([run("select sql from sqlite_master where name = 'ledger_writers_stay'")]);
    await direct.write([
      run("drop trigger ledger_writers_stay"),
      run("delete from ledger_writers"),
      run(String(stay?.[0])),
    ]);
    await expect(writer.read([run("select 1")])).rejects.toBeInstanceOf(Unreachable);
    await expect(writer.write([insert(name)])).rejects.toBeInstanceOf(Superseded);
    expect(await count(name)).toBe(0);
    const next = writerOn();
    expect(await next.claim({ epoch: 7, seq: 1 })).toEqual({ epoch: 1, isContinued: false });
    expect(next.newId("sales")).toBeGreaterThan(999_999_999);
    await next.write([insert(name)]);
    expect(await count(name)).toBe(1);
  });
});

describe("two writers of one database", () => {
  it("the earlier writer is superseded at its next write, whatever the later writer did", async () => {
    const earlier = await claimed();
    const later = await claimed();
    await expect(earlier.write([insert(name)])).rejects.toBeInstanceOf(Superseded);
    await later.write([insert(name)]);
    expect(await count(name)).toBe(1);
  });

  it("the earlier writer is superseded at its next read", async () => {
    const earlier = await claimed();
    await claimed();
    await expect(earlier.read([run("select 1")])).rejects.toBeInstanceOf(Superseded);
  });

  it("the batch that the earlier writer is sending is rejected after the later writer's claim", async () => {
    const earlier = writerOn(own.proxy.url, patientMs);
    await earlier.claim();
    const isClaimed = Promise.withResolvers<void>();
    own.proxy.inject({ kind: "hold", until: isClaimed.promise }, { only: "writes", times: 1 });
    const superseded = expect(earlier.write([insert(name)])).rejects.toBeInstanceOf(Superseded);
    await claimed(own.server.url);
    isClaimed.resolve();
    await superseded;
    expect(await count(name)).toBe(0);
  });

  it("the earlier writer, retrying a batch, doesn't mistake the later writer's batch for its own", async () => {
    const hasWritten = Promise.withResolvers<void>();
    const database = openDatabase({ url: own.proxy.url, authToken: undefined }, { timeoutMs: patientMs });
    const earlier = new FencedWriter(database, { ...clock, sleep: () => hasWritten.promise });
    await earlier.claim();
    own.proxy.inject({ kind: "refuse" }, { only: "writes", times: 1 });
    const superseded = expect(earlier.write([insert(name)])).rejects.toBeInstanceOf(Superseded);
    const later = await claimed(own.server.url);
    await later.write([insert(`${name}-2`)]);
    hasWritten.resolve();
    await superseded;
    expect(await count(name)).toBe(0);
  });
});
