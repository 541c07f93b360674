import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { refunds } from "#store/schema/refunds.ts";
import { startDatabase, type TestDatabase } from "../../harness/database.ts";
import { databaseAt } from "../../harness/database-client.ts";
import { createWorld } from "../../harness/world.ts";
import { copiesOf } from "../support/copies.ts";
import { countingDatabase } from "../support/counting-database.ts";
import { expectLedgerConsistent } from "../support/expect-ledger-consistent.ts";
import { callsOf } from "../support/ledger-calls.ts";
import { ledgerOn } from "../support/own-ledger.ts";
import { daysAgo } from "../support/program-fixture.ts";

let server: TestDatabase;
beforeAll(async () => {
  server = await startDatabase();
});
afterAll(() => server.dispose());

const saleCents = 100_000;

async function open() {
  const world = await createWorld(server.url, { partners: [{}] });
  onTestFinished(() => expectLedgerConsistent(world));
  const sell = (name: string) =>
    callsOf(world, server.url).sale(name, daysAgo(20), { amountCents: saleCents, customerKey: `buyer of ${name}` });

  /** Adds refunds of one cent each, as copies of a refund sent through the API. */
  const addRefunds = async (name: string, count: number, from = `${name} r`) => {
    const { eventId } = await callsOf(world, server.url).refund(name, "amount", { refundId: `${from}0`, cents: 1 });
    const first = Number(eventId);
    const [row] = await world.rows("select refunded_cents from refunds where id = ?", first);
    const cents = Number(row?.refunded_cents);
    await world.change(
      copiesOf(refunds, first, count - 1, {
        id: `${first} + v`,
        refund_id: `'${from}' || v`,
        operation_id: `'${from}' || v`,
        refunded_total_cents: "refunded_total_cents + v * refunded_cents",
      }),
      {
        sql: "update sales set refunded_cents = refunded_cents + ? where program_id = ? and transaction_id = ?",
        args: [(count - 1) * cents, world.programId, name],
      },
    );
  };
  const storedOf = async (name: string) => {
    const refundsOfSale = `select count(*) as n from refunds r join sales s on s.id = r.sale_id
      where s.program_id = ? and s.transaction_id = ?`;
    return Number((await world.rows(refundsOfSale, world.programId, name))[0]?.n);
  };
  /** Starts a new Ledger on the stored data. */
  const start = () => {
    const { database, counted } = countingDatabase(databaseAt(server.url));
    const now = daysAgo(0);
    const ledger = ledgerOn(database, { now: () => now, sleep: async () => {}, random: () => 0.5 });
    return { ...callsOf(world, ledger), counted };
  };
  return { world, sell, addRefunds, storedOf, start };
}

const bytesOf = (counted: readonly { readonly bytes: number }[]) => counted.map(({ bytes }) => bytes);
const refused = { ok: false, refusal: { code: "too_many_refunds" } };

describe("a sale at its limit of refund calls", () => {
  it("another refund of a sale at its limit of refund calls is refused without effect, and a refund that is repeated is still recognized", async () => {
    const { sell, addRefunds, storedOf, start } = await open();
    await sell("s");
    await addRefunds("s", 999);
    const { refund, refundTask, ledger } = start();
    const last = await refund("s", "amount", { refundId: "last", cents: 5 });
    expect(last).toMatchObject({ status: "no_commission", refundedTotalCents: 1_004 });
    for (const more of [{ refundId: "more", cents: 5 }, { cents: 5 }] as const) {
      expect(await ledger.submit(refundTask("s", "amount", more)).outcome).toMatchObject(refused);
    }
    expect(await ledger.submit(refundTask("s", "cancel", { refundId: "last" })).outcome).toMatchObject(refused);
    const { operationId } = refundTask("s", "amount").call;
    expect(await refund("s", "amount", { refundId: "last", cents: 5, operationId })).toEqual({
      ...last,
      status: "skipped",
      reason: "duplicate refund_id",
    });
    expect(await ledger.submit(refundTask("s", "amount", { refundId: "last", cents: 6 })).outcome).toMatchObject({
      refusal: { code: "refund_conflict" },
    });
    expect(await storedOf("s")).toBe(1_000);
  });

  it("a sale at its limit of refund calls has a separate limit for skipped refunds that may count later, and this limit blocks no cancellation", {
    tags: "soak",
  }, async () => {
    const { world, sell, addRefunds, storedOf, start } = await open();
    await sell("s");
    await addRefunds("s", 900);
    await start().refund("s", "total", { refundId: "T", cents: saleCents });
    await addRefunds("s", 1_000, "covered ");
    const { refund, refundTask, ledger, sale, lead, click, pending, maintain, counted } = start();
    const covered = refundTask("s", "amount", { refundId: "one more", cents: 5 });
    expect(await ledger.submit(covered).outcome).toMatchObject(refused);
    expect(await storedOf("s")).toBe(1_901);

    // The sales have more refunds than a lead reads at once.
    await sale("t", daysAgo(19), { customerKey: "buyer of s" });
    const told = { occurredAt: daysAgo(21), at: daysAgo(0, 1) };
    const shown = click(world.partner, daysAgo(22));
    expect(await lead("key", [shown], "buyer of s", told)).toMatchObject({ attributedSales: { length: 1 } });
    while ((await pending()) > 0) await maintain();
    expect(Math.max(...counted.map(({ rows }) => rows))).toBeLessThan(1_910);
    expect(await refund("s", "cancel", { refundId: "s r7" })).toMatchObject({ status: "restored", refundedCents: 0 });
    expect(await refund("s", "cancel", { refundId: "T" })).toMatchObject({
      status: "restored",
      refundedTotalCents: 1_899,
      commissionAmountCents: Math.floor((20_000 * (saleCents - 1_899)) / saleCents + 0.5),
    });
  });
});

describe("further refunds of a sale with many refunds", () => {
  it("further refunds of a sale with many refunds read the earlier refunds once per batch of calls when sent concurrently, and are counted one by one", async () => {
    const { sell, addRefunds, start } = await open();
    await sell("s");
    await addRefunds("s", 940);
    const { refund, refundTask, together, counted } = start();
    await refund("s", "amount", { refundId: "alone", cents: 1 });
    const alone = Math.max(...bytesOf(counted));
    counted.length = 0;
    const tasks = Array.from({ length: 90 }, (_, i) => refundTask("s", "amount", { refundId: `new${i}`, cents: 1 }));
    const outcomes = await together(...tasks);
    const done = outcomes.flatMap((outcome) => (outcome.ok ? [outcome.answer] : []));
    expect(done).toMatchObject(Array.from({ length: 59 }, (_, i) => ({ refundedTotalCents: 942 + i })));
    const read = bytesOf(counted.filter(({ mode }) => mode === "read")).reduce((all, bytes) => all + bytes, 0);
    expect(read).toBeLessThan(3 * alone);
    expect(counted.length).toBeLessThan(10);
  });

  it("further refunds of a sale with many refunds are answered in a few batches when repeated concurrently", async () => {
    const { sell, addRefunds, start } = await open();
    await sell("s");
    await addRefunds("s", 500);
    const { refundTask, together, counted } = start();
    const repeats = Array.from({ length: 90 }, () => refundTask("s", "amount", { refundId: "s r7", cents: 1 }));
    const outcomes = await together(...repeats);
    expect(new Set(outcomes.map((outcome) => outcome.ok && (outcome.answer as { status: string }).status))).toEqual(
      new Set(["skipped"]),
    );
    expect(counted.length).toBeLessThan(10);
  });

  it("only a few further refunds of a sale with many refunds take part in a batch of calls, so that the batch's read stays small", {
    tags: "soak",
  }, async () => {
    const { sell, addRefunds, start } = await open();
    const names = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"];
    for (const name of names) {
      await sell(name);
      await addRefunds(name, 950);
    }
    const { refundTask, together, counted } = start();
    const outcomes = await together(...names.map((name) => refundTask(name, "amount", { refundId: "new", cents: 1 })));
    expect(outcomes.map(({ ok }) => ok)).toEqual(names.map(() => true));
    const reads = bytesOf(counted.filter(({ mode }) => mode === "read"));
    const all = reads.reduce((sum, bytes) => sum + bytes, 0);
    // Four sales with 950 refunds each fit within the limit of 4,000 rows.
    expect(Math.max(...reads)).toBeLessThan(0.45 * all);
  });
});
