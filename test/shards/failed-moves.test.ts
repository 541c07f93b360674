import { describe, expect, test } from "vitest";
import { abandonMove, beginMove, type MovePlaces, moveProgram } from "../../scripts/shards/mover.ts";
import { movingShops } from "../support/moving-shops.ts";
import { shardedService } from "../support/sharded-service.ts";

const own = shardedService("weur", "enam");
const { shopAt, move } = movingShops(own);

describe("a move that fails", () => {
  test("abandoned before it began, gives no id again that the program got there before", async () => {
    const shop = await shopAt(1);
    const given = [await shop.sell("t1", "u1"), await shop.sell("t2", "u1")].map(({ body }) => body.sale_id);
    await move(shop, 2);
    const dead: MovePlaces = { ...own.places, step: () => Promise.reject(new Error("the mover died")) };
    await expect(moveProgram(dead, await beginMove(own.places, shop.id, 1))).rejects.toThrow("the mover died");
    await abandonMove(own.places, await beginMove(own.places, shop.id, 1));
    expect(await own.rows(1, "select 1 from sales where program_id = ?", shop.id)).toEqual([]);
    await own.service.restart();
    const other = await shopAt(1);
    expect(other.partnerId).toBeGreaterThan(shop.partnerId);
    expect((await other.sell("t1", "u1")).body.sale_id).toBeGreaterThan(Math.max(...given));
  });
});
