import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../harness/client.ts";
import { correctionFixture } from "../support/correction-fixture.ts";
import { customersShop } from "../support/customers-shop.ts";
import { explained } from "../support/explain.ts";
import { at, day, daysAgo, inTestMode } from "../support/program-fixture.ts";
import { allAtOnce, createSalesFixture, type SalesFixture, salesFixture } from "../support/sales-fixture.ts";
import { usersOfFile } from "../support/users-fixture.ts";

const finding = { tags: ["finding"] };
const people = usersOfFile();
const corrections = correctionFixture(people);

/** Sends a sale of subscription "s" and customer "c1" with `is_recurring: "auto"`. */
const pay = ({ sell }: SalesFixture, transaction_id: string, body: JsonObject = {}) =>
  sell({ transaction_id, sale_type: "subscription", subscription_id: "s", is_recurring: "auto", ...body });

async function decided(shop: SalesFixture, transaction_id: string, body?: JsonObject): Promise<boolean> {
  const { status, text, body: answer } = await pay(shop, transaction_id, body);
  expect(status, text).toBe(200);
  const { is_recurring } = await shop.saleRow(transaction_id);
  expect(answer.is_recurring).toBe(is_recurring === 1);
  return answer.is_recurring;
}

describe("the first payment after a trial", () => {
  const trial = async (policy: object) => {
    const shop = await createSalesFixture({ policies: [policy] });
    await shop.refer("c1", { clickAt: daysAgo(30) });
    return shop;
  };
  const earns = async (shop: SalesFixture, transaction_id: string) => {
    const { commission } = (await pay(shop, transaction_id)).body;
    return [commission.amount_cents, commission.reason];
  };

  it("the first payment after a trial earns by a one_time policy, and the next payment doesn't", finding, async () => {
    const shop = await trial({ scope: "one_time" });
    expect(await earns(shop, "first")).toEqual([200, undefined]);
    expect(await earns(shop, "second")).toEqual([0, "recurring_not_covered"]);
  });

  it(
    "the first payment after a trial earns by a one_time policy even after a renewal of another subscription",
    finding,
    async () => {
      const shop = await trial({ scope: "one_time" });
      await shop.sell({ subscription_id: "other", is_recurring: true });
      expect(await earns(shop, "first")).toEqual([200, undefined]);
    },
  );

  it(
    "the first payment after a trial doesn't match a rule for renewals, and the next payment does",
    finding,
    async () => {
      const shop = await trial({ rules: [{ when: { isRecurring: true }, rateBps: 1_000 }] });
      expect(await earns(shop, "first")).toEqual([200, undefined]);
      expect(await earns(shop, "second")).toEqual([100, undefined]);
    },
  );

  it("the first payment after a trial earns once the customer's lead is sent", finding, async () => {
    const shop = await createSalesFixture({ policies: [{ scope: "one_time" }] });
    const first = (await pay(shop, "first", { occurred_at: at(daysAgo(3)) })).body;
    const second = (await pay(shop, "second", { occurred_at: at(daysAgo(2)) })).body;
    expect([first, second].map(({ attributed, is_recurring }) => [attributed, is_recurring])).toEqual([
      [false, false],
      [false, true],
    ]);
    await shop.refer("c1", { clickAt: daysAgo(5) });
    expect(await shop.commission(first.commission_id)).toMatchObject({ status: "pending", amount_cents: 200 });
    expect(await shop.commission(second.commission_id)).toMatchObject({ reason: "recurring_not_covered" });
    expect((await explained(shop, { transaction_id: "first" })).renewal).toEqual({
      earlier_sale: null,
      imported: false,
    });
    expect((await explained(shop, { transaction_id: "second" })).renewal).toEqual({
      earlier_sale: { sale_id: first.sale_id, transaction_id: "first" },
      imported: false,
    });
  });
});

describe("a sale with is_recurring auto", () => {
  it("a sale with is_recurring auto is a renewal if a sale of the same subscription with the same or an earlier occurred_at is stored", async () => {
    const shop = await createSalesFixture();
    expect(await decided(shop, "third", { occurred_at: at(daysAgo(3)) })).toBe(false);
    expect(await decided(shop, "second", { occurred_at: at(daysAgo(3, -1)) })).toBe(false);
    expect(await decided(shop, "same", { occurred_at: at(daysAgo(3, -1)) })).toBe(true);
    expect(await decided(shop, "later", { occurred_at: at(daysAgo(3, 1)) })).toBe(true);
    const { is_recurring } = await shop.saleRow("third");
    expect(is_recurring).toBe(0);
  });

  it("a sale with is_recurring auto is a renewal even if the earlier sale has is_recurring: false, or was refunded", async () => {
    const shop = await createSalesFixture();
    await shop.sell({ transaction_id: "first", subscription_id: "s", is_recurring: false });
    await shop.giveBack("first");
    expect(await decided(shop, "second")).toBe(true);
  });

  it("a sale with is_recurring auto is a renewal even if either sale has no customer", async () => {
    const shop = await createSalesFixture();
    const nobody = { customer_key: null, click_id: "forged" };
    expect(await decided(shop, "first", nobody)).toBe(false);
    expect(await decided(shop, "second", { customer_key: null, click_id: undefined })).toBe(true);
    expect(await decided(shop, "third", nobody)).toBe(true);
    expect((await shop.all("sales")).map(({ customer_id }) => customer_id)).toEqual([null, null, null]);
  });

  it("a sale with is_recurring auto is a renewal if its customer was imported with the subscription", async () => {
    const importing = await customersShop(people);
    await importing.run([{ customer_key: "cus_9", subscription_id: "s" }]);
    const shop = salesFixture(importing);
    expect(await decided(shop, "first", { customer_key: "cus_9" })).toBe(true);
    expect((await explained(shop, { transaction_id: "first" })).renewal).toEqual({
      earlier_sale: null,
      imported: true,
    });
  });

  it("a sale with is_recurring auto isn't a renewal without a subscription_id, or if the earlier sale is a test or in another subscription or program", async () => {
    const [shop, other] = [await createSalesFixture(), await createSalesFixture()];
    for (const [i, elsewhere] of [{ subscription_id: "S" }, inTestMode].entries()) {
      await decided(shop, `elsewhere ${i}`, elsewhere);
    }
    await decided(other, "of another program");
    expect(await decided(shop, "alone", { subscription_id: null })).toBe(false);
    expect(await decided(shop, "alone again", { subscription_id: null })).toBe(false);
    expect(await decided(shop, "first")).toBe(false);
    expect(await pay(shop, "in test mode", inTestMode)).toMatchObject({ status: 200, body: { is_recurring: true } });
  });

  it("a sale with is_recurring auto is a renewal even if the earlier sale's customer was erased", async () => {
    const shop = await createSalesFixture({ members: people.members() });
    await shop.sell({ transaction_id: "first", customer_key: "zebra", subscription_id: "sub of zebra" });
    const erased = await people.owner.post(`/api/programs/${shop.world.programId}/privacy/erase`, {
      ...{ customerKey: "zebra", confirm: true },
    });
    expect(erased.status, erased.text).toBeLessThan(300);
    expect((await pay(shop, "second", { customer_key: null, subscription_id: "sub of zebra" })).body).toMatchObject({
      is_recurring: true,
    });
  });
});

describe("parallel sales with is_recurring auto", () => {
  const newcomers = async () => createSalesFixture();
  /** A customer whose sales the Ledger decides in parallel. */
  async function regulars() {
    const shop = await createSalesFixture({ policies: [{ scope: "one_time" }] });
    await shop.refer("c1", { clickAt: daysAgo(30) });
    await shop.sell({ occurred_at: at(daysAgo(20)) });
    return shop;
  }

  it.each([
    ["a new customer", newcomers],
    ["a customer whose sales don't depend on each other", regulars],
  ])(
    "60 parallel sales with is_recurring auto, of one subscription and %s, include exactly one first payment",
    async (_who, open) => {
      const shop = await open();
      const occurred_at = at(daysAgo(2));
      const replies = await allAtOnce(60, (i) => pay(shop, `t${i}`, { occurred_at }));
      expect(replies.filter(({ status }) => status === 200)).toHaveLength(60);
      expect(replies.filter(({ body }) => !body.is_recurring)).toHaveLength(1);
    },
  );

  it("parallel sales of several customers with is_recurring auto are each decided by the sales recorded before them", async () => {
    const shop = await createSalesFixture();
    const instants = Array.from({ length: 40 }, (_, i) => daysAgo(2, ((i * 7) % 40) * 1_000));
    const replies = await allAtOnce(40, (i) =>
      pay(shop, `t${i}`, { customer_key: `c${i % 3}`, occurred_at: at(instants[i] ?? 0) }),
    );
    const inTurn = replies
      .map(({ body }, i) => ({ ...body, at: instants[i] ?? 0 }))
      .sort((a, b) => a.sale_id - b.sale_id);
    expect(inTurn.map(({ is_recurring }) => is_recurring)).toEqual(
      inTurn.map((sale, turn) => inTurn.slice(0, turn).some((before) => before.at <= sale.at)),
    );
  });
});

describe("a repeated sale", () => {
  it("a repeated sale with is_recurring auto is the same request, whatever was decided for the first call or recorded since", async () => {
    const shop = await createSalesFixture();
    const first = { occurred_at: at(daysAgo(1)) };
    await pay(shop, "first", first);
    await pay(shop, "second");
    await pay(shop, "before", { occurred_at: at(daysAgo(2)), is_recurring: true });
    const same = { same_request: true, differences: [] };
    const details = async (transaction_id: string, body: JsonObject = {}) => {
      const again = await pay(shop, transaction_id, body);
      expect(again.status).toBe(409);
      return again.body.error.details;
    };
    expect(await details("first", first)).toMatchObject({ is_recurring: false, ...same });
    expect(await details("second")).toMatchObject({ is_recurring: true, ...same });
    expect(await details("before")).toMatchObject({ is_recurring: true, ...same });
    expect(await details("before", { subscription_id: null })).toMatchObject({ differences: ["subscription_id"] });
  });

  it("a repeated sale with a boolean is_recurring is compared with the decision made for auto", async () => {
    const shop = await createSalesFixture();
    await pay(shop, "first");
    await pay(shop, "second");
    const differences = async (transaction_id: string, is_recurring: boolean) =>
      (await pay(shop, transaction_id, { is_recurring })).body.error.details.differences;
    expect(await differences("first", false)).toEqual([]);
    expect(await differences("first", true)).toEqual(["is_recurring"]);
    expect(await differences("second", true)).toEqual([]);
    expect(await differences("second", false)).toEqual(["is_recurring"]);
  });
});

describe("a corrected sale", () => {
  const correct = async (shop: SalesFixture, transactionId: string, body: JsonObject) => {
    const { id } = await shop.saleRow(transactionId);
    const reply = await corrections.correct(shop, Number(id), body);
    expect(reply.status, reply.text).toBe(200);
    return reply.body.data.after;
  };

  it("a corrected sale keeps the decision made for is_recurring auto, whatever was recorded since", async () => {
    const { shop } = await corrections.open();
    await pay(shop, "first", { occurred_at: at(daysAgo(2)) });
    await pay(shop, "second", { occurred_at: at(daysAgo(1)) });
    await pay(shop, "earlier", { occurred_at: at(daysAgo(3)) });
    for (const [transactionId, is_recurring] of [
      ["first", 0],
      ["second", 1],
    ] as const) {
      await correct(shop, transactionId, { amountCents: 900 });
      expect(await shop.saleRow(`${transactionId}~1`)).toMatchObject({ is_recurring });
    }
  });

  it("a corrected sale counts as one sale, with its corrected time, when is_recurring auto is decided for later sales", async () => {
    const { shop } = await corrections.open();
    await pay(shop, "moved", { occurred_at: at(daysAgo(3)) });
    await correct(shop, "moved", { occurredAt: at(daysAgo(1)) });
    expect(await decided(shop, "first", { occurred_at: at(daysAgo(2)) })).toBe(false);
    expect(await decided(shop, "later", { occurred_at: at(daysAgo(1)) })).toBe(true);
    await correct(shop, "first", { occurredAt: at(daysAgo(2, day / 2)) });
    expect(await decided(shop, "between", { occurred_at: at(daysAgo(2)) })).toBe(false);
  });
});

describe("the explanation of a sale", () => {
  it("the explanation of a sale shows which earlier sale made it a renewal, and shows none if the call sent is_recurring", async () => {
    const shop = await createSalesFixture();
    await shop.refer("c1");
    const { sale_id } = (await pay(shop, "first")).body;
    await pay(shop, "second");
    await pay(shop, "alone", { subscription_id: null });
    await shop.sell({ transaction_id: "said", subscription_id: "s", is_recurring: true });
    const renewalOf = async (transaction_id: string) => (await explained(shop, { transaction_id })).renewal;
    expect(await renewalOf("first")).toEqual({ earlier_sale: null, imported: false });
    expect(await renewalOf("second")).toEqual({
      earlier_sale: { sale_id, transaction_id: "first" },
      imported: false,
    });
    expect(await renewalOf("alone")).toEqual({ earlier_sale: null, imported: false });
    expect(await renewalOf("said")).toBeNull();
    expect((await explained(shop, { customer_key: "c1" })).renewal).toBeNull();
  });
});
