import { randomBytes } from "node:crypto";
import { beforeEach, expect, it } from "vitest";
import { changeTasks } from "../../src/ledger/changes.ts";
import { callsOf } from "../support/ledger-calls.ts";
import { ownDatabase } from "../support/own-database.ts";
import { ownLedger } from "../support/own-ledger.ts";
import { daysAgo } from "../support/shop.ts";
import { createWorld, type World } from "../support/world.ts";

// Click ids of links that a restore has undone.

const own = ownDatabase();
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
    changeTasks["create-partner"](
      {
        operationId: randomBytes(8).toString("hex"),
        at: now,
        programId: of.programId,
        actorId: "somebody",
        kind: "create-partner",
        name: code,
        code,
        email: undefined,
        destinationUrl: undefined,
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

it("a sale that shows a click of a link that the restore has undone is recorded", async () => {
  const copy = await own.server.backup();
  const anna = await addPartner(world, "anna");
  await own.server.restore(copy);
  ledger = ownLedger(own.proxy.url, clock);
  const calls = callsOf(world, ledger);
  const outcome = await ledger.submit(calls.saleTask("s1", daysAgo(1), shownBy(calls, anna.linkId))).outcome;
  expect(outcome).toMatchObject({ ok: true, answer: { attributed: false } });
});

it("a lead that shows a click of such a link beside a good one is attributed by the good one", async () => {
  const calls = callsOf(world, ledger);
  const [good, gone] = [calls.click(world.partner, daysAgo(5)), calls.click({ linkId: 4711 }, daysAgo(3))];
  const outcome = await ledger.submit(calls.leadTask("key", [good, gone])).outcome;
  expect(outcome).toMatchObject({ ok: true, answer: { partnerCode: world.partner.code } });
});

it("a click of a link that the restore has undone pays no partner who has got the link's number since", async () => {
  const copy = await own.server.backup();
  const anna = await addPartner(world, "anna");
  await own.server.restore(copy);
  ledger = ownLedger(own.proxy.url, clock);
  await addPartner(world, "berta");
  const calls = callsOf(world, ledger);
  const answer = await calls.sale("s1", daysAgo(1), shownBy(calls, anna.linkId));
  expect(answer.partnerCode).not.toBe("berta");
});

it("nor a partner of another program", async () => {
  const copy = await own.server.backup();
  const anna = await addPartner(world, "anna");
  await own.server.restore(copy);
  ledger = ownLedger(own.proxy.url, clock);
  await addPartner(other, "stranger");
  const calls = callsOf(world, ledger);
  const answer = await calls.sale("s1", daysAgo(1), shownBy(calls, anna.linkId));
  expect(answer.partnerCode).not.toBe("stranger");
});
