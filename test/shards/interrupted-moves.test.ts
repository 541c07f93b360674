/** @module-tag soak */
import { describe, expect, test } from "vitest";
import { abandonMove, beginMove, type MovePlaces, moveProgram } from "../../scripts/shards/mover.ts";
import { movingShops } from "../support/moving-shops.ts";
import { shardedService } from "../support/sharded-service.ts";

const own = shardedService("weur", "enam");
const { execute, shopAt, move, placeAt, dyingMover } = movingShops(own);

/** The mover died before the program left shard 2. */
async function shopOnItsWayBack() {
  const shop = await shopAt(1);
  await move(shop, 2);
  const back = await beginMove(own.places, shop.id, 1);
  await expect(moveProgram(dyingMover(), back)).rejects.toThrow("the mover died");
  return { shop, back };
}

describe("a move that is interrupted", () => {
  test("a move back to where the program was created, abandoned, leaves the program reachable", {
    tags: "soak",
  }, async () => {
    const { shop, back } = await shopOnItsWayBack();
    await abandonMove(own.places, back);
    // Another isolate, without a hint.
    await own.service.restart();
    const sale = await shop.sell("t1", "u1");
    const click = await shop.click();
    expect([sale.status, click.status], sale.text + click.text).toEqual([200, 200]);
  });

  test("a mover that dies on the way back lets the program go on for callers without a hint", {
    tags: "soak",
  }, async () => {
    const { shop, back } = await shopOnItsWayBack();
    await own.places.step("freeze", back, 500);
    await expect.poll(() => placeAt(2, shop)).toBe("here");
    await own.service.restart();
    const sale = await shop.sell("t1", "u1");
    expect(sale.status, sale.text).toBe(200);
  });

  test("a click that was answered while the program came back is stored, although the move is abandoned", {
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

  test("a second mover doesn't delete what the first has copied", { tags: "soak" }, async () => {
    const shop = await shopAt(1);
    await shop.sell("t1", "u1");
    const begun = await beginMove(own.places, shop.id, 2);
    // An earlier mover has died; the program has thawed.
    await expect(moveProgram(dyingMover(), begun)).rejects.toThrow("the mover died");
    await own.places.step("freeze", begun, 300);
    await expect.poll(() => placeAt(1, shop)).toBe("here");

    // The first of two movers finds that it has to begin anew, and is slow to hear it.
    const heard = Promise.withResolvers<void>();
    const slow: MovePlaces = {
      ...own.places,
      step: async (step, ...rest) => {
        try {
          await own.places.step(step, ...rest);
        } catch (error) {
          await heard.promise;
          throw error;
        }
      },
    };
    const first = moveProgram(slow, begun).catch((error: unknown) => error);
    await new Promise((resolve) => setTimeout(resolve, 500));
    // The second has compared, and is about to have it leave.
    const second: MovePlaces = {
      ...own.places,
      step: async (step, ...rest) => {
        if (step === "leave") {
          heard.resolve();
          await new Promise((resolve) => setTimeout(resolve, 1_500));
        }
        await own.places.step(step, ...rest);
      },
    };
    await moveProgram(second, begun);
    await first;
    expect(await placeAt(2, shop)).toBe("here");
    expect(await own.rows(2, "select transaction_id from sales where program_id = ?", shop.id)).toHaveLength(1);
    expect((await shop.sell("t1", "u1")).status).toBe(409);
  });

  test("a move begun before the one ahead of it is finished at its source leaves no source stuck", {
    tags: "soak",
  }, async () => {
    const shop = await shopAt(1);
    await move(shop, 2);
    const [left] = await own.rows(1, "select move_id from programs where id = ?", shop.id);
    // Its source's database failed at the last step: home knows, the source has yet to note it.
    await execute(1, "update programs set leave_by = 1 where id = ?", shop.id);
    await move(shop, 0);
    expect(Number(left?.move_id)).toBeGreaterThan(0);
    // Whatever rings the source's alarm: another program's approval.
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

  test("a click that comes to the target during the copy doesn't spoil the move", { tags: "soak" }, async () => {
    const shop = await shopAt(1);
    await shop.click();
    await move(shop, 2);
    await shop.click();
    const back = await beginMove(own.places, shop.id, 1);
    await expect(moveProgram(dyingMover(), back)).rejects.toThrow("the mover died");
    // An isolate without a hint.
    await own.service.restart();
    const first = await shop.click({ event_id: "e1" });
    const click = first.status === 200 ? first : await shop.click({ event_id: "e1" });
    expect(click.status).toBe(200);
    // Something rings the alarm of the target.
    const other = await shopAt(1);
    const begun = await beginMove(own.places, other.id, 2);
    await own.places.step("freeze", begun, 30_000);
    await abandonMove(own.places, begun);
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
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    const stored = await own.rows(1, "select event_id from clicks where program_id = ? and event_id = 'e1'", shop.id);
    expect({ failure, whileArriving: whileArriving.length, stored: stored.length }).toEqual({
      failure: undefined,
      whileArriving: 0,
      stored: 1,
    });
  });

  test("an event that is sent again while its program is frozen is answered with its first click id", async () => {
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
