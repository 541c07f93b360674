import { randomBytes } from "node:crypto";
import { beforeEach, describe, expect, it } from "vitest";
import { supersedeWriters } from "#store/supersede-writers.ts";
import { databaseAt } from "../../harness/database-client.ts";
import { createWorld, type World } from "../../harness/world.ts";
import { sampled } from "../support/breadth.ts";
import { isolatedDatabase } from "../support/isolated-database.ts";
import { callsOf } from "../support/ledger-calls.ts";
import { ownLedger } from "../support/own-ledger.ts";
import { daysAgo } from "../support/program-fixture.ts";

// Click ids of links that were created after the backup, and that the restore therefore lost.

const own = isolatedDatabase({ engine: "sqld" });
const now = Date.now();
const clock = { now: () => now, sleep: async () => {}, random: () => 0.5 };
let world: World;
let other: World;
let ledger: ReturnType<typeof ownLedger>;

beforeEach(async () => {
  own.proxy.heal();
  world = await createWorld(own.server.url, { partners: [{}, {}] });
  other = await createWorld(own.server.url, { partners: [{}, {}] });
  ledger = ownLedger(own.proxy.url, clock);
});

const addPartner = async (of: World, code: string) => {
  const outcome = await ledger.submit(
    ledger.changeTask(
      {
        operationId: randomBytes(8).toString("hex"),
        at: now,
        programId: of.programId,
        actorId: "somebody",
        kind: "create-partner",
        name: code,
        code,
        email: null,
        externalId: null,
        destinationUrl: null,
      },
      now,
    ),
  ).outcome;
  if (!outcome.ok) throw new Error(JSON.stringify(outcome));
  const [link] = await of.rows(
    "select id, partner_id from referral_links where program_id = ? and code = ?",
    of.programId,
    code,
  );
  return { id: Number(link?.partner_id), linkId: Number(link?.id), code };
};

const shownBy = (calls: ReturnType<typeof callsOf>, linkId: number) => {
  const shown = calls.click({ linkId }, daysAgo(2));
  return { clicks: [shown], clickId: shown.clickId, sentClickId: true };
};

it("a sale with a click of a link that was lost in a restore is recorded", async () => {
  const copy = await own.server.backup();
  const anna = await addPartner(world, "anna");
  await own.server.restore(copy);
  ledger = ownLedger(own.proxy.url, clock);
  const calls = callsOf(world, ledger);
  const outcome = await ledger.submit(calls.saleTask("s1", daysAgo(1), shownBy(calls, anna.linkId))).outcome;
  expect(outcome).toMatchObject({ ok: true, answer: { attributed: false, reason: "invalid_click_id" } });
});

it("a lead with a click of a link lost in a restore and a valid click is attributed by the valid click", async () => {
  const calls = callsOf(world, ledger);
  const [good, gone] = [calls.click(world.partner, daysAgo(5)), calls.click({ linkId: 4711 }, daysAgo(3))];
  const outcome = await ledger.submit(calls.leadTask("key", [good, gone])).outcome;
  expect(outcome).toMatchObject({ ok: true, answer: { partnerCode: world.partner.code } });
});

it("a lead identified only by a click of a link lost in a restore is refused", async () => {
  const calls = callsOf(world, ledger);
  for (const by of ["key", "browser"] as const) {
    const outcome = await ledger.submit(
      calls.leadTask(by, [calls.click({ linkId: 4711 }, daysAgo(3))], undefined, {
        customerKey: null,
      }),
    ).outcome;
    expect(outcome).toMatchObject({ ok: false, refusal: { code: "customer_not_found" } });
  }
});

it("a browser's lead with a click of a link lost in a restore and a valid click is attributed by the valid click", async () => {
  const calls = callsOf(world, ledger);
  const [good, gone] = [calls.click(world.partner, daysAgo(5)), calls.click({ linkId: 4711 }, daysAgo(3))];
  const outcome = await ledger.submit(calls.leadTask("browser", [good, gone])).outcome;
  expect(outcome).toMatchObject({ ok: true, answer: { partnerCode: world.partner.code } });
});

it("a click of another program's link matches no partner", async () => {
  const calls = callsOf(world, ledger);
  const answer = await calls.sale("s1", daysAgo(1), shownBy(calls, other.partner.linkId));
  expect(answer).toMatchObject({ attributed: false, reason: "invalid_click_id" });
});

/** The ways in which the service detects a restored database. */
const noticed: Readonly<Record<string, () => Promise<void>>> = {
  "the after-restore command": async () => {
    await supersedeWriters(databaseAt(own.server.url));
    ledger = ownLedger(own.proxy.url, clock);
  },
  "a running Ledger": async () => {
    await ledger.loop.maintain();
  },
  "a Ledger that starts with its old storage": async () => {
    ledger = ownLedger(own.proxy.url, clock, ledger.storage);
  },
};

describe.each(sampled(Object.keys(noticed)))("once %s has detected the restore", (who) => {
  const restored = async () => {
    const copy = await own.server.backup();
    const anna = await addPartner(world, "anna");
    const before = callsOf(world, ledger);
    await before.lead("key", [before.click(anna, daysAgo(2))], "lost");
    await own.server.restore(copy);
    await noticed[who]?.();
    return anna;
  };

  it("once the restore is detected, a click of a lost link pays no partner who was created after the restore", async () => {
    const anna = await restored();
    const berta = await addPartner(world, "berta");
    expect(berta.id).toBeGreaterThan(anna.id);
    expect(berta.linkId).toBeGreaterThan(anna.linkId);
    const calls = callsOf(world, ledger);
    const answer = await calls.sale("s1", daysAgo(1), shownBy(calls, anna.linkId));
    expect(answer).toMatchObject({ attributed: false, reason: "invalid_click_id" });
  });

  it("once the restore is detected, a click of a lost link pays no partner of another program", async () => {
    const anna = await restored();
    await addPartner(other, "stranger");
    const calls = callsOf(world, ledger);
    const answer = await calls.sale("s1", daysAgo(1), shownBy(calls, anna.linkId));
    expect(answer).toMatchObject({ attributed: false, reason: "invalid_click_id" });
  });

  it("after a second restore of the same backup, a new link doesn't get the id that a lost link had after the first restore", {
    tags: "soak",
  }, async () => {
    const copy = await own.server.backup();
    await addPartner(world, "of-before");
    await own.server.restore(copy);
    await noticed[who]?.();
    const anna = await addPartner(world, "anna");
    const calls = callsOf(world, ledger);
    const click = shownBy(calls, anna.linkId);
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    await own.server.restore(copy);
    await noticed[who]?.();
    const berta = await addPartner(world, "berta");
    const answer = await callsOf(world, ledger).sale("s1", daysAgo(1), click);
    expect(berta.linkId).not.toBe(anna.linkId);
    expect(answer).toMatchObject({ attributed: false, reason: "invalid_click_id" });
  });
});
