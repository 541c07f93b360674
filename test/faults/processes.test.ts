import { setTimeout as delay } from "node:timers/promises";
import { afterAll, afterEach, describe, expect, inject, it, onTestFinished } from "vitest";
import { startService } from "../../harness/service.ts";
import type { World } from "../../harness/world.ts";
import { isolatedService } from "../support/isolated-service.ts";
import { programFixture } from "../support/program-fixture.ts";
import { mountSmallDisk } from "./disk.ts";
import { expectOnce, knownTo, traffic } from "./traffic.ts";

const disk = mountSmallDisk(64);
// Hooks run in reverse order, so the database has ended when the disk is unmounted.
if (typeof disk !== "string") afterAll(() => disk.unmount());
const own = isolatedService({ databaseWithin: typeof disk === "string" ? undefined : disk.path });
afterEach(() => own.proxy.heal());

const size = { customers: 30, everyMs: 30 };

/** Customers keep sending calls while the service is disturbed. */
async function whileCalled(disturb: (world: World) => Promise<void>): Promise<void> {
  const world = await knownTo(own.service.url, await own.world());
  const [outcome] = await Promise.all([traffic(world, [own.service.url], size), disturb(world)]);
  await expectOnce(world, [outcome]);
}

describe("confirmed calls count once and others at most once", () => {
  it("confirmed calls count once, and unconfirmed calls at most once, while the runtime is killed and restarted", () =>
    whileCalled(async () => {
      await delay(400);
      await own.service.kill();
      await own.service.restart();
    }));

  it(
    "confirmed calls count once, and unconfirmed calls at most once, while the Ledger is repeatedly reset",
    { tags: "soak" },
    () =>
      whileCalled(async (world) => {
        for (let i = 0; i < 4; i += 1) {
          await delay(200);
          // Another writer claims the database: the next write fails, and the Ledger restarts.
          await world.change();
        }
      }),
  );

  it(
    "confirmed calls count once, and unconfirmed calls at most once, while the database is slow to receive and to respond",
    { tags: "soak" },
    () =>
      whileCalled(async () => {
        own.proxy.inject({ kind: "late", ms: 150 });
        own.proxy.inject({ kind: "delay", ms: 300 }, { after: 2, times: 10 });
      }),
  );

  it("confirmed calls count once, and unconfirmed calls at most once, while database connections are cut, refused, or answered with errors", () =>
    whileCalled(async () => {
      const faults = [{ kind: "cut" }, { kind: "answer", status: 500 }, { kind: "refuse" }] as const;
      for (let i = 0; i < 9; i += 1) {
        own.proxy.inject(faults[i % 3] ?? { kind: "cut" }, {
          times: 1 + (i % 2),
          only: i % 4 === 3 ? "reads" : "writes",
        });
        await delay(150);
      }
    }));

  // With `skipIf`, the test would lose the tag soak.
  const itFills = typeof disk === "string" ? it.skip : it;
  itFills("confirmed calls count once, others at most once, while the disk is full", { tags: "soak" }, () =>
    whileCalled(async () => {
      const { api, world, visit } = programFixture(
        await knownTo(own.service.url, await own.world({ partners: [{}, {}] })),
        own.api(),
      );
      await delay(200);
      own.service.clearLogs();
      // Otherwise commits would overwrite old pages of the log, which need no more space.
      await own.database.stop();
      if (typeof disk !== "string") disk.fill();
      onTestFinished(() => (typeof disk === "string" ? undefined : disk.free()));
      const afterClick = async () => {
        await visit();
        return own.service.logs.join("\n");
      };
      await expect.poll(afterClick).toContain("ledger.database_lost");
      const sale = { transaction_id: "full", amount_cents: 100, customer_key: "full" };
      const [click, sold] = await Promise.all([visit(), api.sale(sale, { key: world.key })]);
      if (typeof disk !== "string") disk.free();
      expect(click).toMatchObject({ success: true, click_id: expect.any(String) });
      expect([sold.status, sold.headers.get("Retry-After")]).toEqual([503, expect.stringMatching(/^\d+$/)]);
    }),
  );

  it("confirmed calls count once, and unconfirmed calls at most once, while two Ledgers alternate on one database, as during a deployment", {
    tags: "soak",
  }, async () => {
    const second = await startService({
      build: inject("built"),
      databaseUrl: own.proxy.url,
      proxies: [own.proxy],
      vars: { RATE_LIMITS: "off" },
    });
    try {
      const world = await knownTo(own.service.url, await own.world());
      await expectOnce(world, [await traffic(world, [own.service.url, second.url], size)]);
    } finally {
      await second.stop();
    }
  });
});
