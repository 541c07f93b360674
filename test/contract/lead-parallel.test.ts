import { describe, expect, it } from "vitest";
import { createApi } from "../../harness/client.ts";
import { isWhole } from "../support/breadth.ts";
import { at, createProgramFixture, daysAgo, type ProgramFixture } from "../support/program-fixture.ts";
import { allAtOnce } from "../support/sales-fixture.ts";

const count = isWhole ? 60 : 24;
const middle = count / 2;

describe(`${count} concurrent leads`, () => {
  it("concurrent leads of one customer are stored and counted as one lead", async () => {
    const { lead, click, alice, all, countedLeads } = await createProgramFixture();
    const body = { click_id: click(alice), customer_key: "u" };
    const replies = await allAtOnce(count, () => lead(body));
    expect(new Set(replies.map(({ lead_id }) => lead_id)).size).toBe(1);
    expect(replies.filter(({ duplicate }) => duplicate)).toHaveLength(count - 1);
    expect(await all("leads")).toHaveLength(1);
    expect(await all("customers")).toHaveLength(1);
    expect(await countedLeads(alice)).toBe(1);
  });

  it("concurrent leads of one customer with different clicks are attributed by the click that the model chooses", async () => {
    const { lead, click, alice, bob, all, countedLeads } = await createProgramFixture();
    const clicks = Array.from({ length: count }, (_, i) =>
      click(i === middle ? bob : alice, daysAgo(i === middle ? 1 : 2, i)),
    );
    await allAtOnce(count, (i) => lead({ click_id: clicks[i], customer_key: "u" }));
    expect(await all("leads")).toMatchObject([{ partner_id: bob.id, click_id: clicks[middle] }]);
    expect([await countedLeads(alice), await countedLeads(bob)]).toEqual([0, 1]);
  });

  it("concurrent leads of different customers with the same click are all recorded", async () => {
    const { lead, click, alice, all, countedLeads } = await createProgramFixture();
    const click_id = click(alice);
    const replies = await allAtOnce(count, (i) => lead({ click_id, customer_key: `u${i}` }));
    expect(new Set(replies.map(({ lead_id }) => lead_id)).size).toBe(count);
    expect(await all("customers")).toHaveLength(count);
    expect(await countedLeads(alice)).toBe(count);
  });

  it("concurrent leads from browsers, of different customers with the same click, attribute one of them", async () => {
    const { api, click, alice, all, countedLeads } = await createProgramFixture();
    const click_id = click(alice);
    const replies = await allAtOnce(count, (i) => createApi(api.url).lead({ click_id, customer_key: `u${i}` }));
    expect(replies.every(({ body }) => body.attributed)).toBe(true);
    expect(await all("customers")).toHaveLength(1);
    expect(await all("leads")).toHaveLength(1);
    expect(await countedLeads(alice)).toBe(1);
  });

  it("concurrent leads from browsers, of one customer with different clicks, attribute the customer once", async () => {
    const { api, click, alice, all, countedLeads } = await createProgramFixture();
    await allAtOnce(count, () => createApi(api.url).lead({ click_id: click(alice), customer_key: "u" }));
    expect(await all("customers")).toHaveLength(1);
    expect(await countedLeads(alice)).toBe(1);
  });

  it("concurrent leads of one customer known only by click, from servers and browsers, are stored as one lead", async () => {
    const { api, world, click, alice, all, countedLeads } = await createProgramFixture();
    const click_id = click(alice);
    await allAtOnce(count, (i) => createApi(api.url).lead({ click_id }, { key: i % 2 === 0 ? world.key : undefined }));
    expect(await all("customers")).toMatchObject([{ customer_key: null, evidence: "key" }]);
    expect(await all("leads")).toHaveLength(1);
    expect(await countedLeads(alice)).toBe(1);
  });

  it("concurrent leads with different customer_keys for one customer known only by click give the customer one of the customer_keys", async () => {
    const { lead, click, alice, all } = await createProgramFixture();
    const click_id = click(alice);
    const { lead_id } = await lead({ click_id });
    const replies = await allAtOnce(count, (i) => lead({ click_id, customer_key: `u${i}` }));
    expect(replies.filter((reply) => reply.lead_id === lead_id)).toHaveLength(1);
    expect(await all("customers")).toHaveLength(count);
  });
});

describe("leads and sales of one customer", () => {
  /** The rows without ids and values that depend on the order of the calls. */
  async function stateOf({ world: { rows, programId }, alice }: ProgramFixture) {
    const own = `partner_id = ${alice.id} as is_alices`;
    const frozen = "json_remove(explanation, '$.decidedAt', '$.partner', '$.click.id', '$.policy.id')";
    const selects = {
      customers: `customer_key, ${own}, evidence, model, click_at, click_age_days, first_sale_at, first_attributed_sale_at`,
      leads: `customer_key, ${own}, evidence, reason, click_age_days, window_days, occurred_at`,
      sales: `transaction_id, ${own}, reason, click_age_days, window_days, occurred_at`,
      commissions: `${own}, status, reason, is_unconfirmed, initial_cents, amount_cents, hold_until, ${frozen} as frozen`,
      ledger_entries: `${own}, kind, amount_cents, occurred_at, day`,
      daily_counts: `${own}, day, leads, sales, revenue_cents, commission_cents`,
    };
    const columns = Object.entries(selects).map(async ([table, select]) => {
      const isCounted =
        table === "daily_counts" ? "and leads + sales + commission_cents > 0 order by day, currency" : "";
      return [
        table,
        await rows(`select ${select} from ${table} where program_id = ? ${isCounted}`, programId),
      ] as const;
    });
    return Object.fromEntries(await Promise.all(columns));
  }

  const tell = async (order: (lead: () => Promise<unknown>, sale: () => Promise<unknown>) => Promise<unknown>) => {
    const shop = await createProgramFixture({ policies: [{ effectiveFrom: daysAgo(200) }] });
    const clickId = shop.click(shop.alice, daysAgo(9));
    await order(
      () => shop.lead({ click_id: clickId, customer_key: "u", occurred_at: at(daysAgo(5)) }),
      () => shop.sale({ customer_key: "u", occurred_at: at(daysAgo(4)) }),
    );
    return stateOf(shop);
  };
  const leadFirst = () => tell(async (lead, sale) => [await lead(), await sale()]);

  it("leads and sales of one customer have the same result in either order", async () => {
    const saleFirst = await tell(async (lead, sale) => [await sale(), await lead()]);
    const state = await leadFirst();
    expect(saleFirst).toEqual(state);
    expect(state).toMatchObject({
      customers: [{ customer_key: "u", is_alices: 1, evidence: "key" }],
      leads: [{ is_alices: 1 }],
      sales: [{ is_alices: 1, reason: null }],
      commissions: [{ is_alices: 1, status: "pending", amount_cents: 2_000 }],
      ledger_entries: [{ is_alices: 1, kind: "earned" }],
    });
  });

  it("leads and sales of one customer have the same result if a lead and a sale are sent concurrently", async () => {
    const states = await allAtOnce(10, (i) =>
      tell((lead, sale) => Promise.all(i % 2 === 0 ? [lead(), sale()] : [sale(), lead()])),
    );
    const expected = await leadFirst();
    for (const state of states) expect(state).toEqual(expected);
  });

  it("leads and sales of one customer have the same result if a lead is sent concurrently with fifteen sales", async () => {
    const { lead, sale, click, alice, all } = await createProgramFixture();
    const body = { click_id: click(alice, daysAgo(9)), customer_key: "u" };
    await allAtOnce<unknown>(16, (i) => (i < 15 ? sale({ customer_key: "u" }) : lead(body)));
    expect((await all("commissions")).map(({ amount_cents }) => amount_cents)).toEqual(Array(15).fill(2_000));
  });

  it("leads and sales of one customer have the same result if twenty leads, sales and refunds are sent concurrently", async () => {
    const { lead, sale, refund, click, alice, all } = await createProgramFixture();
    const body = { click_id: click(alice, daysAgo(9)), customer_key: "u" };
    await allAtOnce<unknown>(40, async (i) => {
      if (i % 2 === 0) return lead(body);
      const transaction_id = `t${i}`;
      await sale({ transaction_id, customer_key: "u", amount_cents: 1_001 });
      return refund({ transaction_id, refund_amount_cents: 333 });
    });
    const commissions = await all("commissions");
    expect(commissions).toHaveLength(20);
    for (const commission of commissions) {
      expect(commission).toMatchObject({
        partner_id: alice.id,
        status: "pending",
        initial_cents: 200,
        amount_cents: 133,
      });
    }
    expect(await all("ledger_entries")).toHaveLength(40);
  });
});
