/** @module-tag soak */
import { describe, expect, test } from "vitest";
import { startDatabaseProxy } from "../../harness/database-proxy.ts";
import { abandonMove, beginMove, type MovePlaces, type MoveStep, moveProgram } from "../../scripts/shards/mover.ts";
import { movingShops } from "../support/moving-shops.ts";
import { shardedServiceWith } from "../support/sharded-service.ts";

/** Uses a database server, because the tests delay requests of a migration on their way to it. */
const own = shardedServiceWith({ runtime: "workerd" }, "weur", "enam");
const { execute, shopAt, move, placeAt, dyingMover } = movingShops(own);

/** Opens a program on shard 2 whose migration back was interrupted before the program left shard 2. */
async function shopOnItsWayBack() {
  const shop = await shopAt(1);
  await move(shop, 2);
  const back = await beginMove(own.places, shop.id, 1);
  await expect(moveProgram(dyingMover(), back)).rejects.toThrow("the mover died");
  // This migration back has a new number.
  return { shop, back: await beginMove(own.places, shop.id, 1) };
}

describe("an interrupted migration", () => {
  test("an interrupted migration back to the first shard leaves the program reachable after the migration is abandoned", {
    tags: "soak",
  }, async () => {
    const { shop, back } = await shopOnItsWayBack();
    await abandonMove(own.places, back);
    // After the restart, no cached hint names the program's shard.
    await own.service.restart();
    const sale = await shop.sell("t1", "u1");
    const click = await shop.click();
    expect([sale.status, click.status], sale.text + click.text).toEqual([200, 200]);
  });

  test("an interrupted migration back to the first shard leaves the program reachable without a cached hint if the command dies", {
    tags: "soak",
  }, async () => {
    const { shop, back } = await shopOnItsWayBack();
    await own.places.step("freeze", back, 500);
    await expect.poll(() => placeAt(2, shop)).toBe("here");
    await own.service.restart();
    const sale = await shop.sell("t1", "u1");
    expect(sale.status, sale.text).toBe(200);
  });

  test("an interrupted migration back to the first shard keeps a click that was answered meanwhile, even if the migration is abandoned", {
    tags: "soak",
  }, async () => {
    const { shop, back } = await shopOnItsWayBack();
    await own.service.restart();
    const click = await shop.click({ event_id: "e1" });
    const second = click.status === 200 ? click : await shop.click({ event_id: "e1" });
    await abandonMove(own.places, back);
    expect(second.status, second.text).toBe(200);
    await expect
      .poll(() => own.rows(2, "select 1 from clicks where program_id = ? and event_id = 'e1'", shop.id), {
        timeout: 8_000,
      })
      .toHaveLength(1);
  });

  test("a migration command that was slow can't write after another command has migrated the program", async () => {
    const shop = await shopAt(1);
    await shop.refer("u1");
    await shop.sell("t1", "u1");
    const begun = await beginMove(own.places, shop.id, 2);
    const read = Promise.withResolvers<void>();
    const written = Promise.withResolvers<void>();
    const slowly = await startDatabaseProxy(own.places.databaseOf(2).url, (_path, body) => {
      if (!body.includes("insert into sales")) return;
      slowly.inject({ kind: "hold", until: written.promise }, { times: 1 });
      read.resolve();
    });
    const databaseOf = (shard: number) => (shard === 2 ? { url: slowly.url } : own.places.databaseOf(shard));
    const first = moveProgram({ ...own.places, databaseOf }, begun);
    const refused = expect(first).rejects.toThrow("Another command moves this program");
    await read.promise;
    await abandonMove(own.places, await beginMove(own.places, shop.id, 2));
    const { key } = shop;
    expect(
      (await shop.api.refund({ transaction_id: "t1", refund_amount_cents: 900, refund_id: "r1" }, { key })).status,
    ).toBe(200);
    await moveProgram(own.places, await beginMove(own.places, shop.id, 2));
    written.resolve();
    await refused;
    await slowly.close();
    expect(await placeAt(2, shop)).toBe("here");
    expect(await own.rows(2, "select refunded_cents from sales where program_id = ?", shop.id)).toEqual([
      { refunded_cents: 900 },
    ]);
  });

  /** Starts a migration to shard 2, which stops before its first step of this kind. `goOn` continues it. */
  async function moveUpTo(step: MoveStep, id: number) {
    const about = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    const late: MovePlaces = {
      ...own.places,
      step: async (name, ...rest) => {
        if (name === step) {
          about.resolve();
          await released.promise;
        }
        await own.places.step(name, ...rest);
      },
    };
    const moved = moveProgram(late, await beginMove(own.places, id, 2)).then(
      () => "moved",
      (error: unknown) => String(error),
    );
    await about.promise;
    return {
      goOn: () => {
        released.resolve();
        return moved;
      },
    };
  }
  const statesOf = (id: number) => own.rows(0, "select state from program_moves where program_id = ? order by id", id);

  test("an interrupted migration can't freeze the program after another command has frozen it", async () => {
    const shop = await shopAt(1);
    await shop.sell("t1", "u1");
    const first = await moveUpTo("freeze", shop.id);
    const second = await moveUpTo("leave", shop.id);
    expect(await first.goOn()).toContain("Another command moves this program");
    expect(await second.goOn()).toBe("moved");
    expect(await placeAt(2, shop)).toBe("here");
    expect((await shop.sell("t1", "u1")).status).toBe(409);
    expect(await statesOf(shop.id)).toEqual([{ state: "done" }]);
  });

  test("an interrupted migration can't freeze the program after it was abandoned, and the next migration can", async () => {
    const shop = await shopAt(1);
    await shop.sell("t1", "u1");
    const first = await moveUpTo("freeze", shop.id);
    await abandonMove(own.places, await beginMove(own.places, shop.id, 2));
    const next = await beginMove(own.places, shop.id, 2);
    expect(await first.goOn()).toContain("The Ledger refuses to freeze: expired");
    expect(await placeAt(1, shop)).toBe("here");
    await moveProgram(own.places, next);
    expect([await placeAt(1, shop), await placeAt(2, shop)]).toEqual(["left", "here"]);
    expect((await shop.sell("t1", "u1")).status).toBe(409);
    expect(await statesOf(shop.id)).toEqual([{ state: "abandoned" }, { state: "done" }]);
  });

  test("an interrupted migration is continued by another command at once, and the first command then can't end the migration", async () => {
    const shop = await shopAt(1);
    await shop.sell("t1", "u1");
    // Two commands continue this migration. The second one gives it a new number, so the first one's step is refused.
    const begun = await beginMove(own.places, shop.id, 2);
    const first = await moveUpTo("leave", shop.id);
    const second = await moveUpTo("leave", shop.id);
    expect(await first.goOn()).toContain("The Ledger refuses to leave: not_here");
    expect(await placeAt(1, shop)).toBe("leaving");
    await moveProgram(own.places, begun);
    expect(await second.goOn()).toContain("The Ledger refuses to leave: not_here");
    expect(await placeAt(2, shop)).toBe("here");
    expect(await statesOf(shop.id)).toEqual([{ state: "done" }]);
    await move(shop, 1);
    expect(await placeAt(1, shop)).toBe("here");
  });

  test("an interrupted migration can't write the program's row on the target shard after the migration was abandoned", async () => {
    const shop = await shopAt(1);
    await shop.sell("t1", "u1");
    const sent = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    const slowly = await startDatabaseProxy(own.places.databaseOf(2).url, (_path, body) => {
      if (!body.includes("insert into programs")) return;
      slowly.inject({ kind: "hold", until: released.promise }, { times: 1 });
      sent.resolve();
    });
    const databaseOf = (shard: number) => (shard === 2 ? { url: slowly.url } : own.places.databaseOf(shard));
    const moved = moveProgram({ ...own.places, databaseOf }, await beginMove(own.places, shop.id, 2));
    const refused = expect(moved).rejects.toThrow("Another command moves this program");
    await sent.promise;
    await abandonMove(own.places, await beginMove(own.places, shop.id, 2));
    released.resolve();
    await refused;
    await slowly.close();
    expect(await placeAt(2, shop)).toBe("left");
    expect(await own.rows(2, "select 1 from sales where program_id = ?", shop.id)).toEqual([]);
    expect((await shop.sell("t2", "u1")).status).toBe(200);
  });

  test("an interrupted migration doesn't leave its source shard blocked if the program's next migration begins before the last step", {
    tags: "soak",
  }, async () => {
    const shop = await shopAt(1);
    await move(shop, 2);
    const [left] = await own.rows(1, "select move_id from programs where id = ?", shop.id);
    // Simulates that the source's database failed at the last step. Home has recorded the end of the migration, and the
    // source hasn't yet.
    await execute(1, "update programs set leave_by = 1 where id = ?", shop.id);
    await move(shop, 0);
    expect(Number(left?.move_id)).toBeGreaterThan(0);
    // An approval of another program triggers the source's alarm.
    const other = await shopAt(1);
    const begun = await beginMove(own.places, other.id, 2);
    await own.places.step("freeze", begun, 30_000);
    await abandonMove(own.places, begun);
    await expect
      .poll(async () => (await own.rows(1, "select leave_by from programs where id = ?", shop.id))[0]?.leave_by, {
        timeout: 15_000,
      })
      .toBeNull();
  });

  test("an interrupted migration isn't disturbed by a click that reaches the target during the copy", {
    tags: "soak",
  }, async () => {
    const shop = await shopAt(1);
    await shop.click();
    await move(shop, 2);
    await shop.click();
    const begun = await beginMove(own.places, shop.id, 1);
    await expect(moveProgram(dyingMover(), begun)).rejects.toThrow("the mover died");
    const back = await beginMove(own.places, shop.id, 1);
    // After the restart, no cached hint names the program's shard.
    await own.service.restart();
    const first = await shop.click({ event_id: "e1" });
    const click = first.status === 200 ? first : await shop.click({ event_id: "e1" });
    expect(click.status).toBe(200);
    // A call of another program triggers the target's alarm.
    const other = await shopAt(1);
    const ofOther = await beginMove(own.places, other.id, 2);
    await own.places.step("freeze", ofOther, 30_000);
    await abandonMove(own.places, ofOther);
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    const whileArriving = await own.rows(
      1,
      "select event_id from clicks where program_id = ? and event_id = 'e1'",
      shop.id,
    );
    const failure = await moveProgram(own.places, back).then(
      () => undefined,
      (error: unknown) => String(error),
    );
    if (failure !== undefined) await abandonMove(own.places, back);
    expect({ failure, whileArriving: whileArriving.length }).toEqual({ failure: undefined, whileArriving: 0 });
    await expect
      .poll(() => own.rows(1, "select event_id from clicks where program_id = ? and event_id = 'e1'", shop.id))
      .toHaveLength(1);
  });

  test("an event that is sent again while a migration has frozen its program gets the click id of the first call", async () => {
    const shop = await shopAt(1);
    const first = await shop.click({ event_id: "e1" });
    const begun = await beginMove(own.places, shop.id, 2);
    await own.places.step("freeze", begun, 30_000);
    const again = await shop.click({ event_id: "e1" });
    const other = await shop.click({ event_id: "e2" });
    const otherAgain = await shop.click({ event_id: "e2" });
    await abandonMove(own.places, begun);
    expect(again.body.click_id).toBe(first.body.click_id);
    expect(otherAgain.body.click_id).toBe(other.body.click_id);
    await expect
      .poll(() => own.rows(1, "select event_id from clicks where program_id = ? order by event_id", shop.id))
      .toMatchObject([{ event_id: "e1" }, { event_id: "e2" }]);
  });
});
