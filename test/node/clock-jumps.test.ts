import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir, uptime } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect, inject, onTestFinished, test } from "vitest";
import { createApi } from "../../harness/client.ts";
import { startDatabase } from "../../harness/database.ts";
import { startService } from "../../harness/service.ts";
import { addUser } from "../../harness/users.ts";
import { createWorld } from "../../harness/world.ts";
import { expectOnce, knownTo, traffic } from "../faults/traffic.ts";
import { watchFeed } from "../faults/watched-feed.ts";
import { isWhole } from "../support/breadth.ts";
import { eventually } from "../support/isolated-service.ts";
import { day, hour, minute } from "../support/program-fixture.ts";
import { webhookReceiver } from "../support/webhook-receiver.ts";

const receiver = await webhookReceiver();
const customers = isWhole ? 60 : 16;
/** The time until the last jump of the clock. */
const trafficMs = 6_400;

/** The path of libfaketime, which changes a process's clock while it runs. */
function fakeTime(): string | undefined {
  try {
    const environment = execFileSync("faketime", ["-m", "-f", "+0", "env"], { encoding: "utf8", stdio: "pipe" });
    return /^LD_PRELOAD=(.+)$/m.exec(environment)?.[1];
  } catch {
    process.stderr.write("Skipped: tests of a clock that jumps (faketime is missing)\n");
    return undefined;
  }
}

const library = fakeTime();

/** Starts a service whose clock the test can change. The parent process sends the service the right time. */
async function serviceWithClock() {
  const directory = mkdtempSync(join(tmpdir(), "tributary-clock-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const file = join(directory, "offset");
  let offset = 0;
  const set = (ms: number) => {
    offset = ms;
    writeFileSync(file, `${ms < 0 ? "" : "+"}${ms / 1_000}\n`);
  };
  set(0);
  const database = await startDatabase(undefined, "file");
  onTestFinished(database.dispose);
  const service = await startService({
    runtime: "node",
    build: inject("built"),
    databaseUrl: database.url,
    vars: { RATE_LIMITS: "off", ...receiver.vars },
    environment: {
      LD_PRELOAD: library ?? "",
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_NO_CACHE: "1",
      // Timers use elapsed time, whatever the clock is set to.
      DONT_FAKE_MONOTONIC: "1",
      FAKETIME_DONT_FAKE_MONOTONIC: "1",
    },
  });
  onTestFinished(service.stop);
  const report = () => service.reportClock({ at: Date.now() + offset, uptimeMs: uptime() * 1_000 });
  await report();
  return { database, service, set, report };
}

const jumps = [25 * hour, 365 * day, -25 * hour, -365 * day];

// With `skipIf`, the test would lose the tag soak.
const testJumps = library === undefined ? test.skip : test;

testJumps(
  "a clock that jumps under load loses and duplicates no events, dates no sale wrongly, and delays no webhook",
  { tags: "soak" },
  async () => {
    const { database, service, set, report } = await serviceWithClock();
    const began = Date.now();
    const user = await addUser({ url: service.url, databaseUrl: database.url }, "Olga");
    const settings = { members: [{ user, role: "owner" as const }] };
    const world = await knownTo(service.url, await createWorld(database.url, settings));
    const other = await createWorld(database.url);
    const api = createApi(service.url);
    const watched = await watchFeed(world, user, receiver, { fails: 0 });
    const disturb = async () => {
      for (const offset of jumps) {
        await delay(350);
        set(offset);
        await delay(350);
        await report();
        await delay(350);
        set(0);
        await report();
        // Wait until the service has noticed that the clock is right again.
        await eventually(
          () => api.sale({ transaction_id: randomUUID(), amount_cents: 1, customer_key: "other" }, { key: other.key }),
          ({ status }) => status === 200,
        );
      }
    };
    const [outcome] = await Promise.all([
      traffic(world, [service.url], { customers, everyMs: trafficMs / customers }),
      disturb(),
    ]);
    await expectOnce(world, [outcome]);
    expect(await watched.expectDelivered(90_000)).toBeGreaterThan(3 * customers);
    expect(service.logs.join("\n")).toContain("ledger.clock_wrong");
    const [dates] = await world.rows(
      "select min(created_at) as first, max(created_at) as last from sales where program_id = ?",
      world.programId,
    );
    expect(Number(dates?.first)).toBeGreaterThan(began - 2 * minute);
    expect(Number(dates?.last)).toBeLessThan(Date.now() + 2 * minute);
  },
);
