import { setTimeout as delay } from "node:timers/promises";
import { expect, it } from "vitest";
import { isolatedService } from "../support/isolated-service.ts";
import { webhookReceiver } from "../support/webhook-receiver.ts";
import { expectOnce, knownTo, traffic } from "./traffic.ts";
import { watchFeed } from "./watched-feed.ts";

const receiver = await webhookReceiver();
const own = isolatedService({ vars: receiver.vars });

it("each event is delivered, though the runtime and the database are killed and the receiver fails meanwhile", async () => {
  const user = await own.user("Olga");
  const world = await knownTo(own.service.url, await own.world({ members: [{ user, role: "owner" }] }));
  const watched = await watchFeed(world, user, receiver, { fails: 0.1 });

  const disturb = async () => {
    await delay(300);
    await own.service.kill();
    await own.service.restart();
    await delay(300);
    await own.database.kill();
    await delay(300);
    await own.database.start();
  };
  const [outcome] = await Promise.all([traffic(world, [own.service.url], { customers: 20, everyMs: 30 }), disturb()]);
  await expectOnce(world, [outcome]);
  expect(await watched.expectDelivered(90_000)).toBeGreaterThan(60);
}, 150_000);
