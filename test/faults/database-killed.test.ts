import { setTimeout as delay } from "node:timers/promises";
import { it } from "vitest";
import { isolatedService } from "../support/isolated-service.ts";
import { expectOnce, knownTo, traffic } from "./traffic.ts";

/** Uses a separate database server, because a database inside the service's process can't be killed alone. */
const own = isolatedService({ runtime: "workerd" });

it("each confirmed call counts once, and each unconfirmed call at most once, while the database is killed and restarted", async () => {
  const world = await knownTo(own.service.url, await own.world());
  const disturb = async () => {
    await delay(300);
    await own.database.kill();
    await delay(500);
    await own.database.start();
  };
  const [outcome] = await Promise.all([traffic(world, [own.service.url], { customers: 30, everyMs: 30 }), disturb()]);
  await expectOnce(world, [outcome]);
});
