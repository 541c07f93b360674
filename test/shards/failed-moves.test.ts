import { describe, expect, onTestFinished, test } from "vitest";
import { idsPerRange } from "#domain/shard.ts";
import { startDatabase } from "../../harness/database.ts";
import { startDatabaseProxy } from "../../harness/database-proxy.ts";
import { auditAcross } from "../../scripts/audit/across.ts";
import { acrossRules } from "../../scripts/audit/across-rules.ts";
import { addShard } from "../../scripts/database/shards.ts";
import { abandonMove, beginMove, type MovePlaces, moveProgram } from "../../scripts/shards/mover.ts";
import { removeLeft } from "../../scripts/shards/remove-left.ts";
import { movingShops } from "../support/moving-shops.ts";
import { shardedServiceWith } from "../support/sharded-service.ts";

/** Uses a database server, because the tests delay requests of a migration on their way to it. */
const own = shardedServiceWith({ runtime: "workerd" }, "weur", "enam");
const { everyDatabase, execute, shopAt, move, placeAt, dyingMover } = movingShops(own);

const salesAt = async (shard: number, id: number) =>
  (await own.rows(shard, "select id from sales where program_id = ? order by id", id)).map((row) => Number(row.id));

describe("a failed migration", () => {
  test("a failed migration back to a program's first shard doesn't let this shard assign the program's ids again", async () => {
    const shop = await shopAt(1);
    const given = [await shop.sell("t1", "u1"), await shop.sell("t2", "u1")].map(({ body }) => body.sale_id);
    await move(shop, 2);
    const back = await beginMove(own.places, shop.id, 1);
    await expect(moveProgram(dyingMover("freeze"), back)).rejects.toThrow("the mover died");
    await abandonMove(own.places, back);
    expect(await salesAt(1, shop.id)).toEqual([]);
    await own.service.restart();
    const other = await shopAt(1);
    expect(other.partnerId).toBeGreaterThan(shop.partnerId);
    expect((await other.sell("t1", "u1")).body.sale_id).toBeGreaterThan(Math.max(...given));
  });

  // The audit across shards looks again after three seconds.
  test("ids that two shards have used are found by the audit", { tags: "soak" }, async () => {
    const [shop, other] = [await shopAt(1), await shopAt(1)];
    await move(shop, 2);
    expect(await auditAcross(everyDatabase())).toEqual([]);
    const id = idsPerRange + 500_000_000;
    const insert = "insert into notes (id, program_id, kind, subject) values (?, ?, 'reason', 'partner 1')";
    await execute(2, insert, id, shop.id);
    await execute(1, insert, id, other.id);
    expect(await auditAcross(everyDatabase())).toEqual([
      {
        broken: acrossRules.twice,
        rows: [{ table: "notes", id, program: other.id, shard: 1, also: 2 }],
        hasMore: false,
      },
    ]);
  });

  test("a failed migration doesn't write the program's codes to the home shard after another migration has replaced it", async () => {
    const shop = await shopAt(0);
    const sent = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    const slowly = await startDatabaseProxy(own.places.databaseOf(0).url, (_path, body) => {
      if (!body.includes("delete from foreign_codes")) return;
      slowly.inject({ kind: "hold", until: released.promise }, { times: 1 });
      sent.resolve();
    });
    const databaseOf = (shard: number) => (shard === 0 ? { url: slowly.url } : own.places.databaseOf(shard));
    const first = moveProgram({ ...own.places, databaseOf }, await beginMove(own.places, shop.id, 1));
    const refused = expect(first).rejects.toThrow("Another command moves this program");
    await sent.promise;
    await move(shop, 1);
    await execute(0, "update foreign_codes set code_key = 'newer' where program_id = ?", shop.id);
    released.resolve();
    await refused;
    await slowly.close();
    expect(await placeAt(1, shop)).toBe("here");
    expect(await own.rows(0, "select code_key from foreign_codes where program_id = ?", shop.id)).toEqual([
      { code_key: "newer" },
    ]);
  });

  test.each([
    ["a shard that the service doesn't have", 3],
    ["a shard with another database than the service has", 2],
  ])("a failed migration leaves the program working on its shard if the target is %s", async (_, to) => {
    const other = await startDatabase();
    onTestFinished(() => other.dispose());
    const [home] = everyDatabase();
    if (to === 3) await addShard(home, other, { shard: to, location: "apac" });
    const places: MovePlaces = {
      ...own.places,
      databaseOf: (shard) => (shard === to ? other : own.places.databaseOf(shard)),
    };
    const shop = await shopAt(1);
    const moved = moveProgram(places, await beginMove(places, shop.id, to));
    await expect(moved).rejects.toThrow(
      `Program ${shop.id} stays on shard 1: the service has no shard ${to}, or another`,
    );
    expect(await placeAt(1, shop)).toBe("here");
    expect((await shop.click()).status).toBe(200);
    await abandonMove(places, await beginMove(places, shop.id, to));
    expect(await placeAt(1, shop)).toBe("here");
  });

  test("a migrated program's rows on the former shard aren't removed if a restore of the new shard made them the only ones", async () => {
    const shop = await shopAt(1);
    const { sale_id: sale } = (await shop.sell("t1", "u1")).body;
    await move(shop, 2);
    const [, former = expect.fail("no shard 1")] = everyDatabase();
    // Sets the program's row to its state slightly before the hand-over.
    await execute(2, "update programs set place = 'arriving', left_to = 1 where id = ?", shop.id);
    await expect(removeLeft(everyDatabase(), former, shop.id)).rejects.toThrow("Nothing was removed");
    // Sets the program's row to its state before the migration.
    await execute(2, "update programs set place = 'here', left_to = null, move_id = 0 where id = ?", shop.id);
    await expect(removeLeft(everyDatabase(), former, shop.id)).rejects.toThrow("Nothing was removed");
    expect(await salesAt(1, shop.id)).toEqual([sale]);
  });

  test("a failed migration that is started again requires an acknowledgment if its shard was restored in the meantime", async () => {
    const shop = await shopAt(1);
    await beginMove(own.places, shop.id, 2);
    const restored =
      "update ledger_writers set epoch = epoch + 1, seq = 0, id_floor = ?, restored_at = ? where name = 'main'";
    await execute(1, restored, 1_900_000_000_000, Date.now() + 1);
    await expect(beginMove(own.places, shop.id, 2)).rejects.toThrow(`Program ${shop.id} was restored`);
  });
});
