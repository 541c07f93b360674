/** @module-tag soak */
import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { startDatabase, type TestDatabase } from "../../harness/database.ts";
import { openDatabaseClient } from "../../harness/database-client.ts";
import { startDatabaseProxy } from "../../harness/database-proxy.ts";
import { testClickKeys, testSecrets } from "../../harness/service.ts";
import { createWorld, type World } from "../../harness/world.ts";
import { auditLedger } from "../../scripts/audit/ledger.ts";
import type { Databases } from "../../scripts/database/databases.ts";
import { addShard } from "../../scripts/database/shards.ts";
import { applyErasures } from "../../scripts/erasures/apply-erasures.ts";
import { auditErasures } from "../../scripts/erasures/audit-erasures.ts";
import { openErasures } from "../../scripts/erasures/erasures-file.ts";
import { removeErasedLeft } from "../../scripts/erasures/left-rows.ts";
import { writeErasures } from "../../scripts/erasures/write-erasures.ts";
import { beginMove, moveProgram } from "../../scripts/shards/mover.ts";
import { callsOf } from "../support/ledger-calls.ts";
import { ofShard, startLedgers } from "../support/linked-ledgers.ts";
import { day, daysAgo } from "../support/program-fixture.ts";

const databases: TestDatabase[] = [];
let folder: string;
beforeAll(async () => {
  databases.push(...(await Promise.all([0, 1].map(() => startDatabase(undefined, "sqld")))));
  await addShard(databaseOf(0), databaseOf(1), { shard: 1, location: null });
  folder = await mkdtemp(join(tmpdir(), "tributary-erasures-"));
});
afterAll(async () => {
  await Promise.all(databases.map((database) => database.dispose()));
  await rm(folder, { recursive: true, force: true });
});

const now = daysAgo(0);
const clock = { now: () => now, sleep: async () => {}, random: () => 0.5 };
const secrets = { HASH_SECRET: testSecrets.HASH_SECRET };
const databaseOf = (shard: number) => ofShard(databases, shard);
const clientOf = (shard: number) => openDatabaseClient(databaseOf(shard).url);
const both = (): Databases => [
  { shard: 0, url: databaseOf(0).url },
  { shard: 1, url: databaseOf(1).url },
];

/** Opens a program with a customer in the home database. */
async function openShop(ledgers = startLedgers(databases, now, () => clock)) {
  const world = await createWorld(databaseOf(0).url, { partners: [{}], policies: [{ scope: "lifetime" }] });
  const zebra = `zebra-${world.programId}`;
  const calls = callsOf(world, ledgers.of(0));
  await calls.lead("key", [calls.click(world.partner, now - 3 * day)], zebra);
  await calls.sale("t1", now - day, { customerKey: zebra, eventName: `${zebra} bought` });
  const places = ledgers.placesOf();
  const move = async () => moveProgram(places, await beginMove(places, world.programId, 1));
  const eraseOn = async (shard: number) => {
    const call = {
      ...{ kind: "erase-person" as const, operationId: randomBytes(8).toString("hex"), at: now + 1, actorId: "owner" },
      ...{ programId: world.programId, keys: [zebra], emailHash: null, clickId: null, digests: "[]" },
    };
    expect(await ledgers.run(shard, call)).toMatchObject({ ok: true });
  };
  return { world, zebra, move, eraseOn };
}

const namingOn = async (shard: number, { programId }: World, zebra: string) => {
  const found = await Promise.all(
    ["customers", "sales", "leads", "commissions"].map((table) =>
      clientOf(shard).execute({ sql: `select * from ${table} where program_id = ?`, args: [programId] }),
    ),
  );
  return found.flatMap(({ rows }) => rows).filter((row) => JSON.stringify(row).includes(zebra)).length;
};
const salesOn = async (shard: number, { programId }: World) =>
  (await clientOf(shard).execute({ sql: "select id from sales where program_id = ?", args: [programId] })).rows.length;
const receiptsOn = async (shard: number, { programId }: World) =>
  (await clientOf(shard).execute({ sql: "select id from erasures where program_id = ?", args: [programId] })).rows;

async function written() {
  const file = join(folder, `${randomBytes(8).toString("hex")}.jsonl`);
  await writeErasures(both(), { file, secrets, replaces: false });
  return openErasures(file, secrets);
}
const keys = { hashSecret: testSecrets.HASH_SECRET, clickKeys: testClickKeys };
const shardsFound = async (erasures: Awaited<ReturnType<typeof written>>, { programId }: World) => {
  const findings = await auditErasures(both(), erasures, keys.hashSecret);
  const [{ rows } = { rows: [] }] = findings;
  const receipts = erasures.receipts.filter((receipt) => receipt.programId === programId).map(({ id }) => id);
  return [...new Set(rows.filter((row) => receipts.includes(String(row.receipt))).map(({ shard }) => shard))];
};

describe("a program that erases a customer after its migration", () => {
  test("after a program's migration and a customer's erasure, the audit finds the program's rows on its former shard, and only these are removed", async () => {
    const ledgers = startLedgers(databases, now, () => clock);
    const [shop, other] = [await openShop(ledgers), await openShop(ledgers)];
    await shop.move();
    await other.move();
    await shop.eraseOn(1);
    const erasures = await written();
    expect(await namingOn(1, shop.world, shop.zebra)).toBe(0);
    expect(await shardsFound(erasures, shop.world)).toEqual([0]);
    const { programId } = shop.world;
    expect(await removeErasedLeft(both())).toEqual([{ programId, shard: 0 }]);
    expect(await removeErasedLeft(both())).toEqual([]);
    expect(await salesOn(0, shop.world)).toBe(0);
    expect(await salesOn(0, other.world)).toBe(1);
    expect(await shardsFound(erasures, shop.world)).toEqual([]);
    expect(await auditLedger(clientOf(1), { programId })).toEqual([]);
  });

  test("a customer's erasure after a migration is repeated on both shards after the home shard is restored to before the migration", {
    tags: "soak",
  }, async () => {
    const shop = await openShop();
    const copy = await databaseOf(0).backup();
    await shop.move();
    await shop.eraseOn(1);
    const erasures = await written();
    await databaseOf(0).restore(copy);
    expect(await namingOn(0, shop.world, shop.zebra)).toBeGreaterThan(2);
    expect(await shardsFound(erasures, shop.world)).toEqual([0]);
    await applyErasures(both(), erasures, keys);
    for (const shard of [0, 1]) {
      expect(await namingOn(shard, shop.world, shop.zebra)).toBe(0);
      expect(await auditLedger(clientOf(shard), { programId: shop.world.programId })).toEqual([]);
    }
    expect(await receiptsOn(0, shop.world)).toEqual(await receiptsOn(1, shop.world));
  });

  test("a customer's erasure after a migration is repeated on the program's shard after this shard is restored to before the erasure", {
    tags: "soak",
  }, async () => {
    const shop = await openShop();
    await shop.move();
    const copy = await databaseOf(1).backup();
    await shop.eraseOn(1);
    const erasures = await written();
    await databaseOf(1).restore(copy);
    expect(await shardsFound(erasures, shop.world)).toEqual([0, 1]);
    const { cleaned } = await applyErasures(both(), erasures, keys);
    expect(cleaned).toContainEqual({ programId: shop.world.programId, shard: 0 });
    for (const shard of [0, 1]) expect(await namingOn(shard, shop.world, shop.zebra)).toBe(0);
  });

  test("the only rows of a migrated program, on its former shard, are kept if its new shard was restored to before the migration", {
    tags: "soak",
  }, async () => {
    const shop = await openShop();
    const copy = await databaseOf(1).backup();
    await shop.move();
    await shop.eraseOn(1);
    const erasures = await written();
    await databaseOf(1).restore(copy);
    await expect(applyErasures(both(), erasures, keys)).rejects.toThrow(
      `Program ${shop.world.programId} has left its shard, and is on no other`,
    );
    expect(await salesOn(0, shop.world)).toBe(1);
  });
});

describe("the file of erasures", () => {
  test("the file of erasures isn't written while a program is being moved to another shard", async () => {
    const ledgers = startLedgers(databases, now, () => clock);
    const shop = await openShop(ledgers);
    await shop.eraseOn(0);
    const places = ledgers.placesOf();
    const move = await beginMove(places, shop.world.programId, 1);
    await expect(written()).rejects.toThrow(`Being moved between shards: program ${shop.world.programId}.`);
    await moveProgram(places, move);
    const receipts = (await written()).receipts.filter(({ programId }) => programId === shop.world.programId);
    expect(receipts).toHaveLength(1);
  });

  test("the file of erasures is read again if a program has moved meanwhile", async () => {
    const proxy = await startDatabaseProxy(databaseOf(1).url);
    onTestFinished(() => proxy.close());
    const { programId } = (await openShop()).world;
    const moveBriefly = () =>
      clientOf(0).execute({
        sql: `insert into program_moves (program_id, from_shard, to_shard, state, started_at, ended_at)
          values (?, 0, 1, 'abandoned', 0, 0)`,
        args: [programId],
      });
    const requestsOf = async (meanwhile: () => Promise<unknown>) => {
      proxy.resetCounts();
      proxy.inject({ kind: "late", ms: 200 }, { times: 1 });
      const file = join(folder, `${randomBytes(8).toString("hex")}.jsonl`);
      const [home] = both();
      const writing = writeErasures([home, { shard: 1, url: proxy.url }], { file, secrets, replaces: false });
      await expect.poll(() => proxy.counts.total).toBeGreaterThan(0);
      await meanwhile();
      await writing;
      return proxy.counts.total;
    };
    const undisturbed = await requestsOf(async () => undefined);
    expect(await requestsOf(moveBriefly)).toBeGreaterThan(undisturbed);
  });
});
