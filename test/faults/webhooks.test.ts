import { setTimeout as delay } from "node:timers/promises";
import { expect, it } from "vitest";
import type { Runtime } from "../../harness/runtimes.ts";
import { isolatedService } from "../support/isolated-service.ts";
import { webhookReceiver } from "../support/webhook-receiver.ts";
import { expectOnce, knownTo, traffic } from "./traffic.ts";
import { watchFeed } from "./watched-feed.ts";

const ofDefault = await serviceWithReceiver();
/** Uses a separate database server, because a database inside the service's process can't be killed alone. */
const onServer = await serviceWithReceiver("workerd");

async function serviceWithReceiver(runtime?: Runtime) {
  const receiver = await webhookReceiver();
  return { receiver, own: isolatedService({ vars: receiver.vars, runtime }) };
}

const killService = async () => {
  await delay(300);
  await ofDefault.own.service.kill();
  await ofDefault.own.service.restart();
};

const killBoth = async () => {
  await delay(300);
  await onServer.own.service.kill();
  await onServer.own.service.restart();
  await delay(300);
  await onServer.own.database.kill();
  await delay(300);
  await onServer.own.database.start();
};

it.each([
  ["the runtime is", ofDefault, killService],
  ["the runtime and the database are", onServer, killBoth],
] as const)(
  "each event is delivered, even if %s killed and the receiver fails at the same time",
  async (_, { own, receiver }, disturb) => {
    const user = await own.user("Olga");
    const world = await knownTo(own.service.url, await own.world({ members: [{ user, role: "owner" }] }));
    const watched = await watchFeed(world, user, receiver, { fails: 0.1 });
    const [outcome] = await Promise.all([traffic(world, [own.service.url], { customers: 20, everyMs: 30 }), disturb()]);
    await expectOnce(world, [outcome]);
    expect(await watched.expectDelivered(90_000)).toBeGreaterThan(60);
  },
  150_000,
);
