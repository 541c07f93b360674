import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { stepSizes } from "#store/sales.ts";
import { commissions, ledgerEntries } from "#store/schema/commissions.ts";
import { sales } from "#store/schema/sales.ts";
import { startDatabase, type TestDatabase } from "../../harness/database.ts";
import { databaseAt } from "../../harness/database-client.ts";
import { createWorld, type World, type WorldSettings } from "../../harness/world.ts";
import { isWhole, sampled } from "../support/breadth.ts";
import { copiesOf } from "../support/copies.ts";
import { countingDatabase } from "../support/counting-database.ts";
import { expectLedgerConsistent } from "../support/expect-ledger-consistent.ts";
import { callsOf } from "../support/ledger-calls.ts";
import { ledgerOn } from "../support/own-ledger.ts";
import { daysAgo } from "../support/program-fixture.ts";

// In `npm run soak`, customers are as large as the documented limits allow.
const counts = isWhole ? { sales: 10_000, clicks: 100_000 } : { sales: 450, clicks: 3_000 };

let server: TestDatabase;
beforeAll(async () => {
  server = await startDatabase();
});
afterAll(() => server.dispose());

async function open(settings: WorldSettings = {}) {
  const world = await createWorld(server.url, { partners: [{}, {}], ...settings });
  const [alice, bob] = world.partners;
  if (alice === undefined || bob === undefined) throw new Error("a program has two partners");
  onTestFinished(() => expectLedgerConsistent(world));
  return { world, alice, bob, ...callsOf(world, server.url) };
}

/** Greater than any id that the service assigns. */
let base = 2 ** 48;
const nextBase = () => {
  base += 1_000_000;
  return base;
};

/** Starts a new Ledger on the stored data, while another program keeps recording sales. */
async function counted(world: World) {
  await world.change();
  const { database, counted: requests } = countingDatabase(databaseAt(server.url));
  const now = daysAgo(0);
  const ledger = ledgerOn(database, { now: () => now, sleep: async () => {}, random: () => 0.5 });
  const calls = callsOf(world, ledger);
  const bystander = callsOf(await createWorld(server.url), ledger);
  await bystander.sale("first", now);
  let isOver = false;
  let longestMs = 0;
  const selling = (async () => {
    for (let i = 0; !isOver; i += 1) {
      const start = performance.now();
      await bystander.sale(`s${i}`, now, { customerKey: `c${i}` });
      longestMs = Math.max(longestMs, performance.now() - start);
      await delay(5);
    }
  })();
  onTestFinished(async () => {
    isOver = true;
    await selling;
    if (isWhole)
      console.log(`${expect.getState().currentTestName}: a bystander's sale took ${Math.round(longestMs)} ms at most`);
  });
  return { ...calls, requests };
}

const largest = (all: readonly { readonly rows: number; readonly statements: number; readonly bytes: number }[]) => ({
  rows: Math.max(...all.map(({ rows }) => rows)),
  statements: Math.max(...all.map(({ statements }) => statements)),
  bytes: Math.max(...all.map(({ bytes }) => bytes)),
});

const timeout = isWhole ? 600_000 : 180_000;

describe("a customer with very many sales", { timeout }, () => {
  /**
   * Stores many sales, every tenth with 16 kB of line items. With `isBobs`, a browser's lead has attributed them to
   * Bob.
   */
  async function withSales(isBobs: boolean) {
    const opened = await open();
    const { world, bob, sale, lead, click } = opened;
    if (isBobs) await lead("browser", [click(bob, daysAgo(30))]);
    const { saleId, commissionId } = await sale("s0", daysAgo(20));
    const [entry] = await world.rows("select id from ledger_entries where commission_id = ?", commissionId);
    const [from, copies] = [nextBase(), counts.sales - 1];
    const ids = { id: `${from} + v`, occurred_at: "occurred_at + v" };
    await world.write(
      copiesOf(sales, saleId, copies, {
        ...ids,
        transaction_id: "'s' || v",
        line_items: "iif(v % 10 = 0, json_quote(hex(zeroblob(8000))), null)",
      }),
      copiesOf(commissions, commissionId, copies, {
        id: `${from} + v`,
        sale_id: `${from} + v`,
        amount_cents: "0",
        hold_until: "hold_until + v",
        explanation: `json_set(explanation, '$.sale.transactionId', 's' || v,
          '$.sale.occurredAt', (explanation ->> '$.sale.occurredAt') + v)`,
      }),
      ...(entry ? [copiesOf(ledgerEntries, Number(entry.id), copies, { ...ids, commission_id: `${from} + v` })] : []),
    );
    return { ...opened, ...(await counted(world)) };
  }

  it.each(
    sampled([
      ["sales of no partner", false],
      ["sales that a browser's lead attributed", true],
    ]),
  )(
    "leads, sales and refunds of a customer with very many %s are answered in bounded requests, and all sales move to the new partner",
    async (_whose, isBobs) => {
      const { world, alice, lead, sale, refund, click, maintain, pending, requests } = await withSales(isBobs);
      const shown = click(alice, daysAgo(21));
      const told = { occurredAt: daysAgo(21), at: daysAgo(0, 1) };
      const first = await lead("key", [shown], "c1", told);
      expect(first).toMatchObject({ partnerCode: alice.code, attributedSales: { length: stepSizes.many.sales } });
      const again = await lead("key", [shown], "c1", { ...told, at: daysAgo(0, 2) });
      expect(again).toMatchObject({ partnerCode: alice.code, repeat: "duplicate" });
      if (!isBobs) expect(again).toEqual({ ...first, repeat: "duplicate" });
      const own = { clicks: [shown], clickId: shown.clickId, sentClickId: true };
      expect(await sale("with a click", daysAgo(1), own)).toMatchObject({ attributed: true });
      expect(await sale("without", daysAgo(1))).toMatchObject({ attributed: true });
      expect(await refund("s400", "amount", { refundId: "r", cents: 100 })).toMatchObject({ refundedCents: 100 });
      while ((await pending()) > 0) await maintain();

      const ofWhom = "select count(*) as n from sales where program_id = ? and partner_id is not ?";
      expect(await world.rows(ofWhom, world.programId, alice.id)).toEqual([{ n: 0 }]);
      const most = largest(requests);
      expect(most.rows).toBeLessThan(1_250);
      // A new Ledger reads the largest id of each table in one round, which has the most statements.
      expect(most.statements).toBeLessThan(29);
      expect(most.bytes).toBeLessThan(200_000);
    },
  );
});

describe("a customer with very many clicks", { timeout }, () => {
  it.each(sampled(["last_click", "first_click"]))(
    "a customer with very many clicks is attributed by reading only the few clicks that can decide: %s",
    async (model) => {
      const { world, alice, bob, lead, click } = await open({ program: { attributionModel: model } });
      const [oldest, newest] = [click(alice, daysAgo(40)), click(bob, daysAgo(2))];
      await lead("key", [oldest, newest], "c1", { occurredAt: daysAgo(1) });
      await lead("browser", [click(bob, daysAgo(3))], "c2");
      world.forged.add("customers' clicks whose signed id has another program, book, link or time");
      await world.write({
        sql: `insert into customer_clicks with recursive numbers(v) as (select 1 union all select v + 1 from numbers where v < ?)
        select k.customer_id, k.click_id || v, k.link_id, k.click_at + v, k.evidence, 0, 0, k.shown_at
        from customer_clicks k join customers u on u.id = k.customer_id, numbers
        where u.program_id = ? and k.click_id = ?`,
        args: [counts.clicks, world.programId, oldest.clickId],
      });
      const { sale, requests, ...calls } = await counted(world);
      const between = click(bob, daysAgo(20));
      const partnerCode = model === "first_click" ? alice.code : bob.code;
      expect(await calls.lead("key", [between])).toMatchObject({ partnerCode, repeat: "duplicate" });
      expect(await calls.lead("browser", [between])).toMatchObject({ status: "attributed" });
      const own = { clicks: [between], clickId: between.clickId, sentClickId: true };
      expect(await sale("with a click", daysAgo(0), own)).toMatchObject({ partnerCode });
      expect(await calls.lead("key", [between], "c3")).toMatchObject({ partnerCode: bob.code });
      const most = largest(requests);
      expect(most.rows).toBeLessThan(40);
      expect(most.bytes).toBeLessThan(12_000);
    },
  );
});
