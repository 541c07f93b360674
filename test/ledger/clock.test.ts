import { randomBytes } from "node:crypto";
import { expect, it, onTestFinished } from "vitest";
import { noDetails } from "#domain/sale-type.ts";
import { Unreachable } from "#engine/writer.ts";
import { FencedWriter } from "#ledger/fenced-writer.ts";
import { recordLead } from "#operations/track/record-lead.ts";
import { recordRefund } from "#operations/track/record-refund.ts";
import { recordSale } from "#operations/track/record-sale.ts";
import { type Database, DatabaseError } from "#store/database.ts";
import { startDatabase } from "../../harness/database.ts";
import { createWorld } from "../../harness/world.ts";
import { ownLedger } from "../support/own-ledger.ts";
import { clickOf, day, daysAgo, minute } from "../support/program-fixture.ts";

const saleBody = {
  amountCents: 1_000,
  currency: null,
  clickId: null,
  clicks: [],
  sentClickId: false,
  ...noDetails,
  sentOccurredAt: false,
} as const;

it("calls whose times are earlier than those of previous calls are recorded in order of arrival, and the audit passes", async () => {
  const server = await startDatabase();
  onTestFinished(server.dispose);
  const { programId, partner, rows, audit } = await createWorld(server.url);
  const clock = { now: () => Date.now(), sleep: async () => {}, random: () => 0 };
  const ledger = ownLedger(server.url, clock, undefined, false);
  const { taskOf } = ledger;
  const callAt = (at: number) => ({
    operationId: randomBytes(8).toString("hex"),
    at,
    occurredAt: at,
    isTest: false,
    key: { programId, vouched: true as const },
  });
  const none = { sentClickId: false, email: null, pageUrl: null, eventName: null };
  const click = {
    clickId: clickOf(programId, partner, daysAgo(3)),
    programId,
    isTest: false,
    linkId: partner.linkId,
    at: daysAgo(3),
  };
  const lead = (at: number) =>
    taskOf(
      recordLead,
      { ...callAt(at), ...none, kind: "lead", programId, clicks: [click], customerKey: "u" },
      clock.now(),
    );
  const sale = (transactionId: string, at: number) =>
    taskOf(recordSale, { ...saleBody, ...callAt(at), kind: "sale", transactionId, customerKey: "u" }, clock.now());
  const refund = (transactionId: string, cents: number, at: number) =>
    taskOf(
      recordRefund,
      {
        ...callAt(at),
        kind: "refund",
        transactionId,
        asked: "amount",
        cents,
        chargeTotalCents: null,
        refundId: null,
        reason: null,
        sentOccurredAt: true,
      },
      clock.now(),
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
    expect(await ledger.submit(task).outcome).toMatchObject({ ok: true });
  }
  const sold = await rows("select transaction_id, refunded_cents, partner_id from sales order by id");
  expect(sold.map((row) => [row.transaction_id, row.refunded_cents, row.partner_id])).toEqual([
    ["a", 3, partner.id],
    ["b", 1_000, partner.id],
    ["c", 0, partner.id],
  ]);
  expect(ledger.faults).toEqual([]);
  expect(await audit()).toEqual([]);
});

it("a clock that jumps back doesn't prolong the retries against a failing database", async () => {
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
