import { randomUUID } from "node:crypto";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Api } from "../../harness/client.ts";
import type { World } from "../../harness/world.ts";
import { askExplain } from "../support/explain.ts";
import { firstMaintenance } from "../support/first-maintenance.ts";
import { isolatedService } from "../support/isolated-service.ts";
import { at, daysAgo } from "../support/program-fixture.ts";

/** Uses a database server, because it reports how many rows it read and wrote. */
const own = isolatedService({ runtime: "workerd" });

let world: World;
let api: Api;

beforeAll(() => firstMaintenance(own));

/** The click makes the Ledger cache the world's settings before the count begins. */
beforeEach(async () => {
  world = await own.world();
  api = own.api();
  await click();
  await sell("warm", { customer_key: "warm" });
  own.proxy.resetCounts();
});

const click = (body = {}) =>
  api.click({ affiliate_url: world.partner.landingUrl, program_id: world.programId, ...body });
const sell = (transaction_id: string, body: object) =>
  api.sale({ transaction_id, amount_cents: 1_000, ...body }, { key: world.key });
const times = <T>(count: number, call: (i: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, i) => call(i)));
/** Delays the first write until all calls have arrived, even on a slow machine. */
const delayFirstWrite = () => own.proxy.inject({ kind: "late", ms: 500 }, { only: "writes", times: 1 });
/** Repeated until no duty of the Ledger sends requests at the same time. */
const expectCost = (call: () => Promise<{ readonly status: number }>, cost: object, status = 200) =>
  expect
    .poll(async () => {
      own.proxy.resetCounts();
      expect((await call()).status).toBe(status);
      return own.proxy.counts;
    })
    .toMatchObject(cost);
const noDifference = { reads: 0, writes: 0, total: 0, statements: 0, rows: 0, rowsWritten: 0 };
type Counts = Readonly<Record<keyof typeof noDifference, number>>;
const differenceOf = (more: Counts, less: Counts) =>
  Object.fromEntries(
    Object.keys(noDifference).map((name) => [name, more[name as keyof Counts] - less[name as keyof Counts]]),
  );
const statuses = (replies: readonly { status: number }[]) => [...new Set(replies.map(({ status }) => status))];

describe("requests to the database", () => {
  it("a click of a known link costs one write and no read", async () => {
    await expectCost(() => click({ event_id: randomUUID() }), { reads: 0, writes: 1 });
  });

  it("the code of a click without program_id is read once, and then cached, if only one program has the code", async () => {
    const unseen = async () => {
      const { partners, programId } = await own.world({ partners: [{}, {}] });
      const [seen, other] = partners.map(({ landingUrl }) => landingUrl);
      await api.click({ affiliate_url: seen ?? "", program_id: programId });
      own.proxy.resetCounts();
      expect((await api.click({ affiliate_url: other ?? "" })).status).toBe(200);
      const first = own.proxy.counts;
      own.proxy.resetCounts();
      expect((await api.click({ affiliate_url: other ?? "" })).status).toBe(200);
      return [first, own.proxy.counts];
    };
    await expect.poll(unseen).toMatchObject([
      { reads: 1, writes: 1 },
      { reads: 0, writes: 1 },
    ]);
  });

  it("a click writes 7 rows and a sale 22, including indexes, sums, events and the writer's row", async () => {
    const written = async () => {
      const customer_key = randomUUID();
      own.proxy.resetCounts();
      const { body } = await click({ event_id: customer_key });
      const clicked = own.proxy.counts.rowsWritten;
      await api.lead({ click_id: body.click_id, customer_key }, { key: world.key });
      own.proxy.resetCounts();
      await sell(customer_key, { customer_key });
      return { clicked, sold: own.proxy.counts.rowsWritten };
    };
    await expect.poll(written).toEqual({ clicked: 7, sold: 22 });
  });

  it("a click costs the same in a program with 2,000 policies of 20 rules", { tags: "soak" }, async () => {
    const rules = Array.from({ length: 20 }, (_, i) => ({ when: { productIds: [`p${i}`] }, rateBps: 100 * i }));
    const many = Array.from({ length: 1_000 }, () => ({ policies: [{ rateBps: 1_000, rules }] }));
    const { programId, partner } = await own.world({ partners: many, groups: many });
    const ofRules = () =>
      api.click({ affiliate_url: partner.landingUrl, program_id: programId, event_id: randomUUID() });
    await ofRules();
    const costOf = async (call: typeof ofRules) => {
      own.proxy.resetCounts();
      expect((await call()).status).toBe(200);
      return own.proxy.counts;
    };
    const more = async () => differenceOf(await costOf(ofRules), await costOf(() => click({ event_id: randomUUID() })));
    await expect.poll(more).toEqual(noDifference);
  });

  it("a lead, a sale and a refund cost one read and one write each", async () => {
    const { body } = await click();
    for (const call of [
      () => api.lead({ click_id: body.click_id, customer_key: randomUUID() }, { key: world.key }),
      () => sell(randomUUID(), { customer_key: "u" }),
      async () => {
        const transaction_id = randomUUID();
        await sell(transaction_id, { customer_key: "u" });
        own.proxy.resetCounts();
        return api.refund({ transaction_id }, { key: world.key });
      },
    ]) {
      await expectCost(call, { reads: 1, writes: 1 });
    }
  });

  it("a sale with is_recurring auto costs one statement and one row more than with is_recurring true, even after many payments", async () => {
    const costOf = async (payments: number, is_recurring: boolean | "auto") => {
      const name = randomUUID();
      const ofSubscription = { customer_key: name, subscription_id: name, is_recurring };
      await times(payments, (i) =>
        sell(`${name} ${i}`, { ...ofSubscription, is_recurring: true, occurred_at: at(daysAgo(i + 1)) }),
      );
      own.proxy.resetCounts();
      expect((await sell(name, ofSubscription)).body).toMatchObject({ is_recurring: true });
      return own.proxy.counts;
    };
    const moreOf = async (payments: number) =>
      differenceOf(await costOf(payments, "auto"), await costOf(payments, true));
    for (const payments of [1, 50]) {
      await expect.poll(() => moreOf(payments)).toEqual({ ...noDifference, statements: 1, rows: 1 });
    }
  });

  it("a sale with is_recurring auto and no subscription costs the same as a sale without is_recurring", async () => {
    const costOf = async (body: { is_recurring?: "auto" }) => {
      own.proxy.resetCounts();
      expect((await sell(randomUUID(), { ...body, customer_key: randomUUID() })).body).toMatchObject({
        is_recurring: false,
      });
      return own.proxy.counts;
    };
    const more = async () => differenceOf(await costOf({ is_recurring: "auto" }), await costOf({}));
    await expect.poll(more).toEqual(noDifference);
  });

  it("an explanation costs one read by any id", { tags: "soak" }, async () => {
    const { click_id } = (await click()).body;
    const { lead_id } = (await api.lead({ click_id, customer_key: "u" }, { key: world.key })).body;
    const { sale_id, commission_id } = (await sell("t", { customer_key: "u" })).body;
    await api.refund({ transaction_id: "t", refund_id: "r" }, { key: world.key });
    const keys = { transaction_id: "t", refund_id: "r" };
    for (const query of [keys, { click_id }, { lead_id }, { sale_id }, { commission_id }, { customer_key: "u" }]) {
      await expectCost(() => askExplain(api, query, { key: world.key }), { reads: 1, writes: 0 });
    }
  });

  it("100 concurrent clicks share requests: at most 6 in total", async () => {
    delayFirstWrite();
    expect(statuses(await times(100, (i) => click({ event_id: `e${i}` })))).toEqual([200]);
    expect(own.proxy.counts.total).toBeLessThanOrEqual(6);
  });

  it("100 concurrent sales share requests: at most 12 in total", async () => {
    delayFirstWrite();
    expect(statuses(await times(100, (i) => sell(`t${i}`, { customer_key: `u${i}` })))).toEqual([200]);
    expect(own.proxy.counts.total).toBeLessThanOrEqual(12);
  });

  it("100 concurrent customers with the same click share requests: at most 12 in total", { tags: "soak" }, async () => {
    const { click_id } = (await click()).body;
    own.proxy.resetCounts();
    delayFirstWrite();
    const leads = await times(100, (i) => api.lead({ click_id, customer_key: `u${i}` }, { key: world.key }));
    expect(statuses(leads)).toEqual([200]);
    expect(own.proxy.counts.total).toBeLessThanOrEqual(12);
  });

  it("a call with a wrong API key, or with an unknown referral code that was looked up before, costs no request", async () => {
    const wrong = `${world.key.slice(0, -6)}AAAAAA`;
    const unknown = `https://shop.example/?aff=nobody${world.programId}`;
    await api.click({ affiliate_url: unknown, program_id: world.programId });
    const sale = { transaction_id: "x", amount_cents: 1, customer_key: "u" };
    await expectCost(() => api.sale(sale, { key: wrong }), { total: 0 }, 401);
    await expectCost(() => api.click({ affiliate_url: unknown, program_id: world.programId }), { total: 0 }, 400);
  });
});

describe("calls in one batch", () => {
  it("in a batch of several calls, only the call whose statement the database rejects fails", async () => {
    const broken = await own.world();
    const brokenClick = () =>
      api.click({ affiliate_url: broken.partner.landingUrl, program_id: broken.programId }, { ip: "192.0.2.7" });
    expect((await brokenClick()).status).toBe(200);
    // The Ledger has cached the link, but the database no longer has it.
    await broken.rows("delete from clicks where program_id = ?", broken.programId);
    await broken.rows("delete from referral_links where program_id = ?", broken.programId);

    const calls = await times<{ status: number; text: string }>(30, (i) =>
      i % 10 === 3 ? brokenClick() : sell(`n${i}`, { customer_key: `u${i}` }),
    );
    expect(calls.map(({ status }) => status)).toEqual(Array.from({ length: 30 }, (_, i) => (i % 10 === 3 ? 500 : 200)));
    const refused = calls[3];
    expect(refused?.text).toContain("Click tracking failed");
    expect(refused?.text).not.toMatch(/SQL|FOREIGN|constraint/i);
    const stored = await world.rows("select count(*) as n from sales where program_id = ?", world.programId);
    expect(stored[0]?.n).toBe(28);
  });

  it("dependent calls in one batch are decided one after the other, and each sees the effects of the previous one", async () => {
    const replies = await times(20, (i) => sell("same", { customer_key: `u${i}` }));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(replies.filter(({ status }) => status === 409)).toHaveLength(19);
    const refunds = await times(20, () =>
      api.refund({ transaction_id: "same", refund_amount_cents: 100 }, { key: world.key }),
    );
    expect(refunds.filter(({ body }) => body.refunded_cents === 100)).toHaveLength(10);
  });
});

describe("settings that were changed outside the Ledger", () => {
  it("settings that were changed outside the Ledger take effect once the writer's epoch in the database is raised", async () => {
    await world.change({ sql: "update partners set status = 'paused' where program_id = ?", args: [world.programId] });
    // This call's first write finds the Ledger superseded. Its retry reaches the next instance.
    expect((await sell("after", { customer_key: "u" })).status).toBe(200);
    expect((await click()).body).toMatchObject({ success: false, message: "Referral link is inactive" });
  });
});
