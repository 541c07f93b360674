import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { createWorld } from "../../harness/world.ts";
import { instantSleep } from "../support/instant-sleep.ts";
import { isolatedDatabase } from "../support/isolated-database.ts";
import { ownLedger } from "../support/own-ledger.ts";
import { payoutCalls } from "../support/payout-calls.ts";
import { daysAgo } from "../support/program-fixture.ts";

const own = isolatedDatabase();
const now = daysAgo(0);
const clock = { now: () => now, sleep: instantSleep, random: () => 0.5 };

test("a cancellation of a partly settled payout returns the payout again if the same call is repeated, and refuses another call", async () => {
  const world = await createWorld(own.server.url, { partners: [{}, {}] });
  const { programId } = world;
  const ledger = ownLedger(own.server.url, clock);
  const { change, create } = payoutCalls(world, ledger, now);
  const money = { amountCents: 100, currency: "EUR", reference: "bonus", reason: "r", partnerNote: null };
  for (const { id: partnerId } of world.partners) {
    const operationId = randomBytes(8).toString("hex");
    const call = { kind: "create-adjustment", operationId, at: now, programId, actorId: "one", partnerId, ...money };
    expect(await ledger.submit(ledger.changeTask(call as never, now)).outcome).toMatchObject({ ok: true });
  }
  const { id: payoutId } = await create("EUR", { settledBy: "api" });
  expect(await change("finalize-payout", "one", { payoutId })).toMatchObject({ ok: true });
  const [line] = await world.rows("select id from payout_lines where payout_id = ? order by id", payoutId);
  const settlement = { lineId: line?.id, settlementId: "s1", settledAt: null };
  const mailing = { mailsFrom: "https://service.example", recipients: [] };
  expect(await change("settle-line", "key 1", { payoutId, ...mailing, ...settlement })).toMatchObject({ ok: true });
  const cancel = (operationId: string) => change("cancel-payout", "one", { payoutId, operationId });
  const { meta: _, ...canceled } = await cancel("first");
  expect(canceled).toMatchObject({ ok: true, answer: { payout: { status: "paid" } } });
  const { meta: __, ...again } = await cancel("first");
  expect(again).toEqual(canceled);
  expect(await cancel("second")).toMatchObject({ ok: false, refusal: { code: "nothing_due" } });
});
