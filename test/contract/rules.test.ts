import { describe, expect, it } from "vitest";
import type { Json } from "../../harness/client.ts";
import { explained } from "../support/explain.ts";
import { at, daysAgo } from "../support/program-fixture.ts";
import { createSalesFixture } from "../support/sales-fixture.ts";
import { refusalOf, usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile();
const path = (programId: number) => `/api/programs/${programId}/commission-policy`;

const policy = { type: "percent", rateBps: 2_000, scope: "lifetime" };
const pro = { label: "Pro", when: { productIds: ["pro"] }, rateBps: 1_025 };
const gift = { when: { productIds: ["gift"] }, excluded: true as const };
const piece = { when: { productIds: ["book"] }, amountCents: 500 };

const basicAndPro = [
  { product_id: "basic", amount_cents: 3_000 },
  { item_id: "b", product_id: "pro", amount_cents: 1_901, quantity: 2 },
];

/** A shop with a policy of these rules, and customer "c1", referred by Alice. */
async function shopWith(rules: Json, further = {}) {
  const shop = await createSalesFixture({ policies: [], members: people.members() });
  await shop.refer("c1", { clickAt: daysAgo(1) });
  const set = (body: Json) => people.admin.put<{ data: { version: number } }>(path(shop.world.programId), body);
  const { status, body } = await set({ ...policy, ...further, rules });
  expect(status, JSON.stringify(body)).toBe(200);
  return { ...shop, set };
}

interface Rated {
  readonly data: { readonly appliedRateBps: number | null };
}
const appliedRate = async ({ world: { programId } }: { world: { programId: number } }, commissionId: number) =>
  (await people.viewer.get<Rated>(`/api/programs/${programId}/commissions/${commissionId}`)).body.data.appliedRateBps;

describe("a policy with rules", () => {
  it("a policy with rules pays each item of a sale separately, and the explanation keeps the terms of the sale after later changes", async () => {
    const shop = await shopWith([pro, gift]);
    const gifts = [...basicAndPro, { product_id: "gift", amount_cents: 99 }];
    const { body } = await shop.sell({ transaction_id: "t", amount_cents: 5_000, items: gifts });
    expect(body.commission).toMatchObject({ amount_cents: 600 + 195, status: "pending" });
    await shop.set({ ...policy, rateBps: 1 });
    expect(await appliedRate(shop, body.commission_id)).toBeNull();
    const { commission } = await explained(shop, { transaction_id: "t" });
    expect(commission?.calculation).toEqual([
      { step: "base", text: "Sale of €50.00", cents: 5_000, currency: "EUR" },
      {
        step: "item_rule",
        text: "Pro: 10.25% of €19.01 = €1.948525, rounded half up to €1.95",
        cents: 195,
        currency: "EUR",
      },
      { step: "excluded", text: "Rule 2: €0.99 earns nothing", cents: 195, currency: "EUR" },
      { step: "item_rule", text: "Other items: 20% of €30.00 = €6.00", cents: 795, currency: "EUR" },
    ]);
  });

  it("a policy with rules treats a sale without items as one item with the sale's product", async () => {
    const shop = await shopWith([pro, gift, piece], { currency: "EUR" });
    const earn = async (product_id: string | null, amount_cents: number) => {
      const { commission, commission_id } = (await shop.sell({ product_id, amount_cents })).body;
      applied.set(product_id, await appliedRate(shop, commission_id));
      return commission.reason ?? commission.amount_cents;
    };
    const applied = new Map<string | null, number | null>();
    expect(await earn(null, 1_000)).toBe(200);
    expect(await earn("pro", 1_000)).toBe(103);
    expect(await earn("gift", 1_000)).toBe("excluded_by_rule");
    expect(await earn("book", 1)).toBe(500);
    expect([...applied]).toEqual([
      [null, 2_000],
      ["pro", 1_025],
      ["gift", null],
      ["book", null],
    ]);
    const gone = await shop.sell({ transaction_id: "gone", product_id: "gift" });
    expect(gone.body).toMatchObject({ attributed: true, reason: "excluded_by_rule", commission: { status: "void" } });
    const { missing } = await explained(shop, { transaction_id: "gone" });
    expect(missing).toMatchObject([{ code: "excluded_by_rule" }]);
  });

  it("a rule with isFirst applies to the first sale that earns, and to a later sale if the first sale is fully refunded", async () => {
    const shop = await shopWith([gift, { label: "First", when: { isFirst: true }, rateBps: 5_000 }]);
    const earn = async (transaction_id: string, product_id: string | null = null) =>
      (await shop.sell({ transaction_id, product_id })).body.commission.amount_cents;
    expect(await earn("card", "gift")).toBe(0);
    expect(await earn("first")).toBe(500);
    expect(await earn("second")).toBe(200);
    await shop.giveBack("first");
    expect(await earn("third")).toBe(500);
  });

  it("a policy with rules counts withinMonths from the customer's first sale", async () => {
    const shop = await createSalesFixture({
      program: { attributionWindowDays: 365 },
      policies: [
        { rateBps: 1_000, rules: [{ when: { withinMonths: 1 }, rateBps: 2_000 }], effectiveFrom: daysAgo(300) },
      ],
    });
    await shop.refer("c1", { clickAt: daysAgo(301) });
    const earned = [];
    for (const days of [100, 80, 30])
      earned.push((await shop.sell({ occurred_at: at(daysAgo(days)) })).body.commission.amount_cents);
    expect(earned).toEqual([200, 200, 100]);
  });

  it("a policy with rules applies to a sale attributed by a later lead", async () => {
    const shop = await createSalesFixture({ policies: [{ rules: [pro, gift] }] });
    const { body } = await shop.sell({
      transaction_id: "t",
      amount_cents: 4_901,
      items: basicAndPro,
      occurred_at: at(daysAgo(1)),
    });
    expect(body.commission).toMatchObject({ amount_cents: 0, reason: "customer_not_found" });
    await shop.lead({ customer_key: "c1", click_id: shop.click(shop.alice, daysAgo(3)), occurred_at: at(daysAgo(2)) });
    expect((await shop.commission(body.commission_id)).amount_cents).toBe(795);
  });

  it("a policy with rules keeps the items' shares of the amount when the sale is corrected", async () => {
    const shop = await shopWith([gift]);
    const gifts = [...basicAndPro, { product_id: "gift", amount_cents: 4_901 }];
    const { body } = await shop.sell({ transaction_id: "t", amount_cents: 9_802, items: gifts });
    const { status, body: corrected } = await people.admin.post<{ data: { sale_id: number } }>(
      `/api/programs/${shop.world.programId}/sales/${body.sale_id}/correct`,
      { amountCents: 4_900, reason: "half of it" },
    );
    expect(status, JSON.stringify(corrected)).toBe(200);
    const [sale] = await shop.world.rows(
      "select items from sales where correction = 1 and program_id = ?",
      shop.world.programId,
    );
    const amounts = (JSON.parse(String(sale?.items)) as { amountCents: number }[]).map(
      ({ amountCents }) => amountCents,
    );
    expect(amounts).toEqual([1_500, 950, 2_450]);
  });

  it("a policy with rules keeps its version if the same rules are set, and has a new version otherwise", async () => {
    const shop = await shopWith([pro, gift]);
    const version = async (rules: Json) => (await shop.set({ ...policy, rules })).body;
    expect((await version([pro, gift])).data.version).toBe(1);
    expect((await version([gift, pro])).data.version).toBe(2);
    expect((await version([])).data).toMatchObject({ version: 3, rules: null });
  });

  it.each<[string, Json, string]>([
    ["no result", [{ when: {} }], "rules must each have one of rateBps, amountCents and excluded"],
    ["two results", [{ ...pro, excluded: true }], "rules must each have one of rateBps, amountCents and excluded"],
    ["a rate above 100%", [{ when: {}, rateBps: 10_001 }], "rules.rateBps must be an integer from 0 to 10000"],
    [
      "an unknown condition",
      [{ when: { country: "DE" }, rateBps: 1 }],
      "rules.when must be an object of known conditions",
    ],
    [
      "no product",
      [{ when: { productIds: [] }, rateBps: 1 }],
      "rules.when.productIds must be an array of 1 to 100 product ids",
    ],
    ["21 rules", Array.from({ length: 21 }, () => pro), "rules must be an array of at most 20 objects"],
  ])("a policy with rules refuses a rule with %s", async (_what, rules, message) => {
    const world = await people.world();
    const reply = await people.admin.put(path(world.programId), { ...policy, rules });
    expect(refusalOf(reply)).toBe(`400 ${message}`);
  });
});

describe("the items of a sale", () => {
  const shopOf = () => createSalesFixture();

  it.each<[string, Json, string]>([
    ["an empty list", [], "items must be an array of 1 to 100 objects"],
    [
      "101 items",
      Array.from({ length: 101 }, () => ({ product_id: "p", amount_cents: 10 })),
      "items must be an array of 1 to 100 objects",
    ],
    [
      "an item without a product",
      [{ amount_cents: 1_000 }],
      "items.product_id must be a string of 1 to 255 characters, not blank, without control characters",
    ],
    [
      "an amount below 0",
      [
        { product_id: "p", amount_cents: -1 },
        { product_id: "q", amount_cents: 1_001 },
      ],
      "items.amount_cents must be an integer from 0 to 100000000000",
    ],
    [
      "a quantity of 0",
      [{ product_id: "p", amount_cents: 1_000, quantity: 0 }],
      "items.quantity must be an integer from 1 to 10000",
    ],
    [
      "a repeated id",
      [
        { product_id: "p", amount_cents: 500 },
        { item_id: "1", product_id: "q", amount_cents: 500 },
      ],
      "items must each have a different item_id",
    ],
    ["a sum other than amount_cents", [{ product_id: "p", amount_cents: 999 }], "items must add up to amount_cents"],
  ])("the items of a sale are refused with %s", async (_what, items, message) => {
    const shop = await shopOf();
    const reply = await shop.sell({ transaction_id: "t", amount_cents: 1_000, items });
    expect(refusalOf(reply)).toBe(`400 ${message}`);
    expect(await shop.world.rows("select id from sales where program_id = ?", shop.world.programId)).toEqual([]);
  });

  it("the items of a sale are refused with an error code if they don't add up to the sale's amount", async () => {
    const shop = await shopOf();
    const reply = await shop.sell({ transaction_id: "t", amount_cents: 1, items: basicAndPro });
    expect(reply.body.error.details).toEqual({ code: "items_sum" });
  });

  it("the items of a sale are compared only if a repeated call has items", async () => {
    const shop = await shopOf();
    const sale = { transaction_id: "t", amount_cents: 4_901 };
    await shop.sell({ ...sale, items: basicAndPro });
    const again = async (more = {}) => (await shop.sell({ ...sale, ...more })).body.error.details;
    expect(await again()).toMatchObject({ same_request: true });
    expect(await again({ items: basicAndPro })).toMatchObject({ same_request: true });
    expect(await again({ items: basicAndPro.toReversed() })).toMatchObject({
      same_request: false,
      differences: ["items"],
    });
  });
});
