import { randomBytes } from "node:crypto";
import { beforeEach, expect, it } from "vitest";
import { createWorld, type World } from "../../harness/world.ts";
import { changeTasks } from "../../src/ledger/changes.ts";
import { openDatabase } from "../../src/store/database.ts";
import { supersedeWriters } from "../../src/store/fenced-row.ts";
import { isolatedDatabase } from "../support/isolated-database.ts";
import { callsOf } from "../support/ledger-calls.ts";
import { ownLedger } from "../support/own-ledger.ts";
import { daysAgo } from "../support/program-fixture.ts";

// Click ids of links that a second restore of one backup has undone.

const own = isolatedDatabase();
const now = Date.now();
const clock = { now: () => now, sleep: async () => {}, random: () => 0.5 };
let world: World;
let ledger: ReturnType<typeof ownLedger>;

beforeEach(async () => {
  own.proxy.heal();
  world = await createWorld(own.server.url, { partners: [{}, {}] });
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

/** Each way in which a restored database is noticed. */
const noticed: Readonly<Record<string, () => Promise<void>>> = {
  "the command": async () => {
    await supersedeWriters(openDatabase({ url: own.server.url, authToken: undefined }));
    ledger = ownLedger(own.proxy.url, clock);
  },
  "an object that lives on": async () => {
    await ledger.loop.maintain();
  },
  "an object that starts on its storage": async () => {
    ledger = ownLedger(own.proxy.url, clock, ledger.storage);
  },
};

it.each(Object.keys(noticed))(
  "a second restore of the same backup, noticed by %s, gives no id away again",
  async (who) => {
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
  },
);
