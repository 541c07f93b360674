import { randomBytes } from "node:crypto";
import { beforeEach, expect, it } from "vitest";
import { recordClick } from "#operations/track/record-click.ts";
import { createWorld } from "../../harness/world.ts";
import { memoryStorage } from "../../scripts/sample/node-ledger.ts";
import { sampled } from "../support/breadth.ts";
import { clickCall } from "../support/click-calls.ts";
import { isolatedDatabase } from "../support/isolated-database.ts";
import { callsOf } from "../support/ledger-calls.ts";
import { ownLedger } from "../support/own-ledger.ts";
import { day, daysAgo } from "../support/program-fixture.ts";

const own = isolatedDatabase({ engine: "sqld" });
beforeEach(() => own.proxy.heal());

const byMember = () => ({ actorId: "somebody", operationId: randomBytes(8).toString("hex") });

it.each(sampled(["program", "partner"]))(
  "sales received before their %s is paused are decided before the pause",
  async (what) => {
    const now = daysAgo(0);
    const world = await createWorld(own.server.url, { partners: [{}, {}], policies: [{ scope: "lifetime" }] });
    const { ledger, click, saleTask, commissions } = callsOf(world, own.proxy.url);
    const shown = click(world.partner, now - day);
    const attributed = { clicks: [shown], clickId: shown.clickId, sentClickId: true };
    const sales = Array.from({ length: 250 }, (_, i) =>
      ledger.submit(saleTask(`s${i}`, now, { ...attributed, customerKey: `c${i}` })),
    );
    const { programId, partner } = world;
    const common = { ...byMember(), at: now, programId, changes: { status: "paused" } } as const;
    const pause =
      what === "partner"
        ? ledger.changeTask({ ...common, kind: "update-partner", partnerId: partner.id }, now)
        : ledger.changeTask({ ...common, kind: "update-program", isOwner: true }, now);
    ledger.submit(pause);
    await Promise.all(sales.map(({ outcome }) => outcome));
    expect(await pause.outcome).toMatchObject({ ok: true });
    expect(ledger.faults).toEqual([]);
    expect(new Set((await commissions()).map(({ status }) => status))).toEqual(new Set(["pending"]));
  },
);

it("a change of one partner with an unknown outcome doesn't stop a restarted Ledger from storing clicks of other partners during an outage", async () => {
  const world = await createWorld(own.server.url, { partners: [{}, {}] });
  const storage = memoryStorage();
  let now = daysAgo(0);
  const clock = {
    now: () => now,
    sleep: async (ms: number) => {
      now += ms;
    },
    random: () => 0.5,
  };
  let ledger = ownLedger(own.proxy.url, clock, storage);
  const visit = async ({ code }: { readonly code: string }) => {
    const { outcome } = ledger.submit(ledger.taskOf(recordClick, clickCall(world, now, { code }), now));
    return (await outcome).ok;
  };
  const [first, other] = world.partners;
  if (first === undefined || other === undefined) throw new Error("a program has two partners");
  const visits = async () => [await visit(first), await visit(other)];
  expect(await visits()).toEqual([true, true]);

  own.proxy.inject({ kind: "refuse" }, { only: "writes" });
  const { programId } = world;
  const paused = { ...byMember(), at: now, programId, partnerId: first.id, changes: { status: "paused" } } as const;
  const task = ledger.submit(ledger.changeTask({ ...paused, kind: "update-partner" }, now));
  expect(await task.outcome).toMatchObject({ ok: false, refusal: { code: "unavailable" } });
  own.proxy.heal();
  now += 6_000;
  await ledger.loop.maintain();
  expect(await visits()).toEqual([true, true]);

  own.proxy.inject({ kind: "refuse" });
  ledger = ownLedger(own.proxy.url, clock, storage);
  await visit(first);
  expect(await visits()).toEqual([true, true]);
});
