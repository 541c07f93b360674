import { randomBytes } from "node:crypto";
import { expect, it, onTestFinished } from "vitest";
import { startDatabase } from "../../harness/database.ts";
import { testClickKeys, testSecrets } from "../../harness/service.ts";
import { createWorld } from "../../harness/world.ts";
import { FencedWriter, Unreachable } from "../../src/engine/fenced-writer.ts";
import type { Task } from "../../src/engine/task.ts";
import { KeyUse } from "../../src/ledger/key-use.ts";
import { SettingsCache } from "../../src/ledger/settings-cache.ts";
import { taskOf } from "../../src/ledger/task.ts";
import { recordLead } from "../../src/operations/track/record-lead.ts";
import { recordRefund } from "../../src/operations/track/record-refund.ts";
import { recordSale } from "../../src/operations/track/record-sale.ts";
import { type Database, DatabaseError, openDatabase } from "../../src/store/database.ts";
import { noMemory } from "../support/own-ledger.ts";
import { clickOf, day, daysAgo, minute } from "../support/program-fixture.ts";
import { runRound } from "../support/run-round.ts";

const saleBody = {
  amountCents: 1_000,
  currency: undefined,
  clickId: undefined,
  clicks: [],
  sentClickId: false,
  saleType: "payment",
  isRecurring: false,
  subscriptionId: undefined,
  subscriptionInterval: undefined,
  productId: undefined,
  eventName: undefined,
  lineItems: undefined,
  sentOccurredAt: false,
} as const;

it("calls at earlier instants than those before them are recorded as they come, and leave the books right", async () => {
  const server = await startDatabase();
  onTestFinished(server.dispose);
  const { programId, partner, rows, audit } = await createWorld(server.url);
  const clock = { now: () => Date.now(), sleep: async () => {}, random: () => 0 };
  const writer = new FencedWriter(openDatabase({ url: server.url, authToken: undefined }), clock);
  await writer.claim();
  const context = {
    settings: new SettingsCache(noMemory, () => {}),
    keyUse: new KeyUse(() => {}),
    clickKeys: testClickKeys,
    hashSecret: testSecrets.HASH_SECRET,
    countUnsigned: () => true,
    visitorKey: () => undefined,
    newId: writer.newId.bind(writer),
    postingAt: writer.postingAt.bind(writer),
    report: (_event: string, error: unknown) => expect.fail(String(error)),
  };
  const callAt = (at: number) => ({
    operationId: randomBytes(8).toString("hex"),
    at,
    occurredAt: at,
    isTest: false,
    key: { programId, vouched: true as const },
  });
  const none = { sentClickId: false, email: undefined, pageUrl: undefined, eventName: undefined };
  const click = {
    clickId: clickOf(programId, partner, daysAgo(3)),
    programId,
    isTest: false,
    linkId: partner.linkId,
    at: daysAgo(3),
  };
  const lead = (at: number) =>
    taskOf(recordLead, { ...callAt(at), ...none, kind: "lead", programId, clicks: [click], customerKey: "u" }, at);
  const sale = (transactionId: string, at: number) =>
    taskOf(recordSale, { ...saleBody, ...callAt(at), kind: "sale", transactionId, customerKey: "u" }, at);
  const refund = (transactionId: string, cents: number, at: number) =>
    taskOf(
      recordRefund,
      {
        ...callAt(at),
        kind: "refund",
        transactionId,
        asked: "amount",
        cents,
        chargeTotalCents: undefined,
        refundId: undefined,
        reason: undefined,
        sentOccurredAt: true,
      },
      at,
    );
  const now = daysAgo(0);
  for (const task of [
    sale("a", now),
    lead(now - day),
    sale("b", now - minute),
    refund("b", 300, now - 2 * day),
    sale("c", now - 2 * day),
    refund("a", 1, now - 60 * minute),
    refund("b", 700, now - 3 * day),
    refund("a", 2, now - 90 * minute),
  ]) {
    for (let waiting: readonly Task[] = [task]; waiting.length > 0; ) {
      waiting = (await runRound(waiting, writer, context)).deferred;
    }
    expect(await task.outcome).toMatchObject({ ok: true });
  }
  const sold = await rows("select transaction_id, refunded_cents, partner_id from sales order by id");
  expect(sold.map((row) => [row.transaction_id, row.refunded_cents, row.partner_id])).toEqual([
    ["a", 3, partner.id],
    ["b", 1_000, partner.id],
    ["c", 0, partner.id],
  ]);
  expect(await audit()).toEqual([]);
});

it("a clock that jumps back ends the patience with a database that fails, instead of prolonging it", async () => {
  let asked = 0;
  let now = 3_600_000;
  const fail = async () => {
    asked += 1;
    if (asked === 2) now = 0;
    throw new DatabaseError({ kind: "unknown" }, undefined);
  };
  const database: Database = { read: fail, write: fail, roundTrips: 0 };
  const sleep = async (ms: number) => {
    now += ms;
  };
  await expect(new FencedWriter(database, { now: () => now, sleep, random: () => 0.5 }).claim()).rejects.toThrow(
    Unreachable,
  );
  expect(asked).toBe(2);
});
