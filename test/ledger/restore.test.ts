import { randomBytes } from "node:crypto";
import { beforeEach, expect, it } from "vitest";
import type { Task } from "#engine/task.ts";
import { type ClickAnswer, recordClick } from "#operations/track/record-click.ts";
import { createWorld, type World } from "../../harness/world.ts";
import { memoryStorage } from "../../scripts/sample/node-ledger.ts";
import { clickCall } from "../support/click-calls.ts";
import { isolatedDatabase } from "../support/isolated-database.ts";
import { ownLedger } from "../support/own-ledger.ts";

// The database is restored from a backup while the Ledger keeps running, or while only its storage remains.

const own = isolatedDatabase({ engine: "sqld" });

const now = Date.now();
const clock = { now: () => now, sleep: async () => {}, random: () => 0.5 };
let world: World;
let storage: ReturnType<typeof memoryStorage>;
let ledger: ReturnType<typeof ownLedger>;
const startObject = () => {
  ledger = ownLedger(own.proxy.url, clock, storage);
};

/** The Ledger is the writer and has cached the first partner's link. */
beforeEach(async () => {
  own.proxy.heal();
  world = await createWorld(own.server.url, { partners: [{}, {}] });
  storage = memoryStorage();
  startObject();
  expect(await click()).toBe("counted");
});

/** A partner whose link the Ledger hasn't cached. */
const other = () => world.partners[1];
const outcomeOf = async (task: Task) => {
  const outcome = await ledger.submit(task).outcome.catch(() => undefined);
  if (outcome === undefined) return "failed";
  return outcome.ok ? outcome.answer : outcome.refusal.code;
};
async function click({ code }: { readonly code: string } = world.partner): Promise<string> {
  const answer = (await outcomeOf(ledger.taskOf(recordClick, clickCall(world, now, { code }), now))) as
    | string
    | ClickAnswer;
  if (typeof answer === "string") return answer;
  return answer.recorded ? "counted" : "not counted";
}
const change = () => ({
  operationId: randomBytes(8).toString("hex"),
  at: now,
  programId: world.programId,
  actorId: "somebody",
});
const pause = () =>
  outcomeOf(
    ledger.changeTask(
      { ...change(), kind: "update-partner", partnerId: world.partner.id, changes: { status: "paused" } },
      now,
    ),
  );
const anna = { code: "anna" };
const addAnna = () =>
  outcomeOf(
    ledger.changeTask(
      {
        ...change(),
        ...anna,
        kind: "create-partner",
        name: "Anna",
        email: null,
        externalId: null,
        destinationUrl: null,
      },
      now,
    ),
  );

it("a running Ledger drops cached settings that a restore has undone", async () => {
  const copy = await own.server.backup();
  await pause();
  expect(await click()).toBe("not counted");
  await own.server.restore(copy);
  // The first call that reads detects the restore and is refused. The Ledger then claims the database again.
  expect(await click(other())).toBe("unavailable");
  await ledger.loop.maintain();
  expect(await click(other())).toBe("counted");
  expect(await click()).toBe("counted");
});

it("a Ledger without calls detects a restore during maintenance", { tags: "soak" }, async () => {
  const copy = await own.server.backup();
  await pause();
  await own.server.restore(copy);
  await ledger.loop.maintain();
  expect(await click()).toBe("counted");
});

it("during an outage, a Ledger that started with its old storage after a restore accepts no click of a link that the backup lacks", async () => {
  const copy = await own.server.backup();
  await addAnna();
  expect(await click(anna)).toBe("counted");
  await own.server.restore(copy);
  startObject();
  expect(await click(other())).toBe("counted");
  own.proxy.inject({ kind: "refuse" });
  expect(await click(anna)).toBe("unavailable");
  expect(await click(other())).toBe("counted");
});

it("during an outage, a Ledger that started with its old storage after a restore accepts clicks of links that the backup contains", {
  tags: "soak",
}, async () => {
  await addAnna();
  expect(await click(anna)).toBe("counted");
  const copy = await own.server.backup();
  expect(await click(anna)).toBe("counted");
  await own.server.restore(copy);
  startObject();
  expect(await click(other())).toBe("counted");
  own.proxy.inject({ kind: "refuse" });
  expect(await click(anna)).toBe("counted");
});
