import { setTimeout as delay } from "node:timers/promises";
import { expect, it } from "vitest";
import { expectOnce, knownTo, type Traffic, traffic } from "../faults/traffic.ts";
import { watchFeed } from "../faults/watched-feed.ts";
import { isolatedService } from "../support/isolated-service.ts";
import { webhookReceiver } from "../support/webhook-receiver.ts";

const receiver = await webhookReceiver();
/** Uses a separate database server, because a database inside the service's process can't be killed alone. */
const own = isolatedService({ vars: receiver.vars, runtime: "workerd" });
const minutes = Number(process.env.SOAK_MINUTES ?? 10);
const customersOfBurst = 60;

const faults: Readonly<Record<string, () => Promise<void>>> = {
  "database killed": async () => {
    await own.database.kill();
    await delay(Math.random() * 3_000);
    await own.database.start();
  },
  "database stopped": async () => {
    own.database.pause();
    await delay(Math.random() * 15_000);
    own.database.resume();
  },
  "runtime killed": async () => {
    await own.service.kill();
    await own.service.restart();
  },
  "another writer": async () => (await own.world()).change(),
  cut: async () => void own.proxy.inject({ kind: "cut" }, { times: 3 }),
  refused: async () => void own.proxy.inject({ kind: "refuse" }, { times: 20 }),
  "status 500": async () => void own.proxy.inject({ kind: "answer", status: 500 }, { times: 5 }),
  slow: async () => {
    const lift = own.proxy.inject({ kind: "late", ms: 400 });
    await delay(5_000);
    lift();
  },
};

it(`${minutes} minutes of random faults lose nothing`, async () => {
  const end = Date.now() + minutes * 60_000;
  const user = await own.user("Olga");
  const world = await knownTo(own.service.url, await own.world({ members: [{ user, role: "owner" }] }));
  const watched = await watchFeed(world, user, receiver, { fails: 0.02 });
  const done: Traffic[] = [];
  let isOver = false;
  const disturbing = (async () => {
    const names = Object.keys(faults);
    while (!isOver) {
      const name = names[Math.floor(Math.random() * names.length)] ?? "cut";
      console.log(`${new Date().toISOString()} ${name}`);
      await faults[name]?.();
      await delay(Math.random() * 3_000);
    }
    own.proxy.heal();
  })();
  try {
    for (let from = 0; Date.now() < end; from += customersOfBurst) {
      done.push(await traffic(world, [own.service.url], { customers: customersOfBurst, everyMs: 30, from }));
    }
  } finally {
    isOver = true;
    await disturbing;
  }
  await expectOnce(world, done);
  const delivered = await watched.expectDelivered(5 * 60_000);
  const calls = done.length * customersOfBurst * 8;
  console.log(
    `At least ${calls} calls, each counted once, and ${delivered} events delivered; the audit finds nothing.`,
  );
  expect(done.length).toBeGreaterThan(0);
});
