import { describe, expect, test } from "vitest";
import type { Json, JsonObject } from "../../harness/client.ts";
import type { User } from "../../harness/session.ts";
import type { WorldSettings } from "../../harness/world.ts";
import { copyCommission } from "../support/many-commissions.ts";
import { at, daysAgo, programFixture } from "../support/program-fixture.ts";
import { createSalesFixture, type SalesFixture, salesFixture } from "../support/sales-fixture.ts";
import { sharedApi } from "../support/shared-service.ts";
import { dayOf, percent, simulations } from "../support/simulation-fixture.ts";
import { invalidFields, refusalOf, usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile();
const { ask, linesOf, resultOf, path } = simulations(people);

const from = daysAgo(400);
const program20 = { rateBps: 2_000, effectiveFrom: from, createdAt: from };

/** A shop with customer "c1", attributed to Alice half a year ago. */
async function openShop(settings: WorldSettings = {}) {
  const shop = await createSalesFixture({
    policies: [program20],
    program: { attributionWindowDays: 365 },
    members: people.members(),
    ...settings,
  });
  await shop.refer("c1", { clickAt: daysAgo(200) });
  return shop;
}

/** The actual and the simulated commission of all sales. */
async function totals({ world }: SalesFixture, policy: Json, days?: JsonObject): Promise<readonly number[]> {
  const { totals } = await resultOf(world, policy, days);
  return totals.flatMap(({ wasCents, wouldBeCents }) => [wasCents, wouldBeCents]);
}

/** For each partner, the actual and the simulated commission. */
async function ofPartners({ world }: SalesFixture, partners: readonly { readonly id: number }[], policy: Json) {
  const { rows } = await resultOf(world, policy);
  return partners.map(({ id }) => {
    const own = rows.filter(({ partnerId }) => partnerId === id);
    return (["wasCents", "wouldBeCents"] as const).map((field) => own.reduce((sum, row) => sum + row[field], 0));
  });
}

const basicAndPro = [
  { product_id: "basic", amount_cents: 3_000 },
  { product_id: "pro", amount_cents: 1_900 },
];

describe("a simulated policy", () => {
  test("a simulated policy recalculates sales and refunds, sums them by month and partner, and writes nothing", async () => {
    const shop = await openShop();
    const { world, alice, bob } = shop;
    await shop.refer("c2", { partner: bob, clickAt: daysAgo(100) });
    await shop.sell({ transaction_id: "a", amount_cents: 4_900, items: basicAndPro, occurred_at: at(daysAgo(95)) });
    await shop.giveBack("a", { refund_amount_cents: 3_000 });
    await shop.sell({ customer_key: "c2", amount_cents: 3_000, product_id: "pro", occurred_at: at(daysAgo(2)) });
    await shop.sell({ customer_key: "c2", amount_cents: 1_000, currency: "USD", occurred_at: at(daysAgo(2)) });
    await shop.sell({ customer_key: "nobody" });
    const books = async () => JSON.stringify(await shop.all("commissions")) + JSON.stringify(await shop.all("sales"));
    const before = await books();
    const rules = [{ when: { productIds: ["prro", "pro"] }, rateBps: 1_000 }];
    const lines = await linesOf(world, percent(2_000, { rules }));
    const [a, b] = [daysAgo(95), daysAgo(2)].map((instant) => dayOf(instant).slice(0, 7));
    const ofA = {
      month: a,
      partnerId: alice.id,
      currency: "EUR",
      sales: 1,
      wasCents: 380,
      todayCents: 380,
      wouldBeCents: 306,
    };
    const ofB = {
      month: b,
      partnerId: bob.id,
      currency: "EUR",
      sales: 1,
      wasCents: 600,
      todayCents: 600,
      wouldBeCents: 300,
    };
    const inUsd = {
      month: b,
      partnerId: bob.id,
      currency: "USD",
      sales: 1,
      wasCents: 200,
      todayCents: 200,
      wouldBeCents: 200,
    };
    expect(lines).toEqual([
      { progress: { sales: 3 } },
      {
        result: {
          rows: [ofA, ofB, inUsd],
          totals: [
            { currency: "EUR", sales: 2, wasCents: 980, todayCents: 980, wouldBeCents: 606 },
            { currency: "USD", sales: 1, wasCents: 200, todayCents: 200, wouldBeCents: 200 },
          ],
          recalculatedSales: 3,
          unsoldProducts: ["prro"],
          soldProducts: ["pro", "basic"],
        },
      },
    ]);
    expect(await books()).toBe(before);
    const capped = percent(2_000, { rules, maxCommissionCents: 500, currency: "EUR" });
    // 194 is the maximum of 5.00 after the refund: 5.00 · 19/49. A policy with a maximum in euros pays nothing for the
    // sale in dollars.
    expect(await totals(shop, capped)).toEqual([980, 194 + 300, 200, 0]);
  });

  test.each<[string, JsonObject, number]>([
    ["a rate", { rateBps: 1_025 }, 103 + 103 + 51],
    ["a minimum", { minSaleCents: 1_000, currency: "EUR" }, 400],
    ["a flat amount", { type: "flat", rateBps: null, amountCents: 300, currency: "EUR" }, 900],
    ["only the first sale", { scope: "one_time" }, 200],
    ["months from the first sale", { scope: "recurring", durationMonths: 1 }, 200],
    ["a rule for the first", { rules: [{ when: { isFirst: true }, rateBps: 5_000 }] }, 500 + 200 + 100],
    ["a rule for months", { rules: [{ when: { withinMonths: 3 }, rateBps: 5_000 }] }, 500 + 500 + 100],
    ["an exclusion", { rules: [{ when: { productIds: ["a"] }, excluded: true }] }, 200 + 100],
    ["nothing", { type: "none", rateBps: null }, 0],
  ])("a simulated policy is calculated by %s", async (_, terms, wouldBe) => {
    const shop = await openShop();
    await shop.sell({ occurred_at: at(daysAgo(190)), product_id: "a" });
    await shop.sell({ occurred_at: at(daysAgo(120)) });
    await shop.sell({ occurred_at: at(daysAgo(10)), amount_cents: 500 });
    expect(await totals(shop, { ...percent(2_000), ...terms })).toEqual([500, wouldBe]);
  });

  test("a simulated policy with the scope one_time pays the first sale that earns", async () => {
    const rules = [{ when: { productIds: ["gift"] }, excluded: true as const }];
    const shop = await openShop({ policies: [{ ...program20, scope: "one_time", rules }] });
    await shop.sell({ transaction_id: "gift", product_id: "gift", amount_cents: 5_000 });
    await shop.sell({ transaction_id: "first", amount_cents: 1_000 });
    await shop.sell({ transaction_id: "second", amount_cents: 3_000 });
    expect(await totals(shop, percent(2_000, { scope: "one_time" }))).toEqual([200, 1_000]);
    // Sales below 20.00 earn nothing, and don't use up the commission.
    const least = percent(2_000, { scope: "one_time", minSaleCents: 2_000, currency: "EUR", rules });
    expect(await totals(shop, least)).toEqual([200, 600]);
    const both = percent(2_000, { rules: [{ when: { isFirst: true }, rateBps: 5_000 }] });
    expect(await totals(shop, both)).toEqual([200, 2_500 + 200 + 600]);
    await shop.giveBack("gift");
    await shop.sell({ transaction_id: "third", amount_cents: 7_000 });
    // The gift card was refunded before the third sale, so the commission was available again.
    expect(await totals(shop, percent(2_000, { scope: "one_time" }))).toEqual([200, 1_400]);
  });

  test("a simulated policy counts months from the customer's first sale, even if it was before the period or in a former program", async () => {
    const shop = await openShop();
    await shop.sell({ occurred_at: at(daysAgo(190)) });
    await shop.sell({ occurred_at: at(daysAgo(10)) });
    const days = { from: dayOf(daysAgo(30)) };
    expect(await totals(shop, percent(2_000, { scope: "one_time" }), days)).toEqual([200, 0]);
    expect(await totals(shop, percent(2_000, { scope: "recurring", durationMonths: 1 }), days)).toEqual([200, 0]);
    const row = { line: 1, customer_key: "c9", partner_code: shop.bob.code, first_sale_at: at(daysAgo(300)) };
    const imported = await people.admin.post(`/api/programs/${shop.world.programId}/imports/rows`, {
      ...{ kind: "customers", source: "Former program", rows: [row] },
    });
    expect(imported.status, imported.text).toBe(200);
    await shop.sell({ customer_key: "c9" });
    expect(await totals(shop, percent(1_000, { scope: "one_time" }), days)).toEqual([400, 0]);
    expect(await totals(shop, percent(1_000, { scope: "recurring", durationMonths: 12 }), days)).toEqual([400, 200]);
  });

  test("a simulated policy pays nothing for rejected sales and sales of a paused partner, and counts a corrected sale only by its new amount", async () => {
    const shop = await openShop();
    const { world } = shop;
    const api = `/api/programs/${world.programId}`;
    const rejected = (await shop.sell({ occurred_at: at(daysAgo(20)) })).body;
    const wrong = (await shop.sell({ amount_cents: 49_000, occurred_at: at(daysAgo(20)) })).body;
    for (const send of [
      () => people.admin.post(`${api}/commissions/${rejected.commission_id}/reject`, { reason: "fraud" }),
      () =>
        people.admin.post(`${api}/sales/${wrong.sale_id}/correct`, {
          reason: "ten times too high",
          amountCents: 4_900,
        }),
      () => people.admin.patch(`${api}/partners/${shop.alice.id}`, { status: "paused" }),
    ]) {
      const { status, text } = await send();
      expect(status, text).toBe(200);
    }
    const unpaid = (await shop.sell({ amount_cents: 100 })).body;
    expect(unpaid.commission.reason).toBe("partner_inactive");
    const { totals } = await resultOf(world, percent(1_000));
    expect(totals).toEqual([{ currency: "EUR", sales: 3, wasCents: 980, todayCents: 980, wouldBeCents: 490 }]);
  });
});

describe("the scope of a simulated policy", () => {
  /** Alice's policy is 30 %, that of Bob's group Gold 40 %, and the program's, for Carol, 20 %. Each has a sale of 10.00. */
  async function threePartners() {
    const shop = await openShop({
      partners: [{ policies: [{ ...program20, rateBps: 3_000 }] }, { group: 0 }, {}],
      groups: [{ name: "Gold", policies: [{ ...program20, rateBps: 4_000 }] }],
    });
    const [, , carol] = shop.world.partners;
    const [gold] = shop.world.groups;
    if (carol === undefined || gold === undefined) throw new Error("the world has a third partner, and a group");
    await shop.refer("c2", { partner: shop.bob });
    await shop.refer("c3", { partner: carol });
    for (const customer_key of ["c1", "c2", "c3"]) await shop.sell({ customer_key });
    const compare = async (policy: Json) =>
      (await ofPartners(shop, [shop.alice, shop.bob, carol], policy)).map(([, wouldBe]) => wouldBe);
    return { shop, carol, gold, compare };
  }

  test("a simulated policy can be that of the program, a group or a partner", async () => {
    const { shop, carol, gold, compare } = await threePartners();
    expect(await compare(percent(1_000))).toEqual([300, 400, 100]);
    expect(await compare(percent(1_000, { groupId: gold.id }))).toEqual([300, 100, 200]);
    expect(await compare(percent(1_000, { partnerId: shop.alice.id }))).toEqual([100, 400, 200]);
    expect(await compare(percent(1_000, { partnerId: shop.bob.id }))).toEqual([300, 100, 200]);
    expect(await compare(percent(1_000, { partnerId: carol.id }))).toEqual([300, 400, 100]);
  });

  test("a simulated policy of a group applies to the sales of partners who were in the group at the time of the sale", async () => {
    const { shop, carol, gold, compare } = await threePartners();
    const join = { groupId: gold.id };
    const recalculated = async (policy: Json) => (await resultOf(shop.world, policy)).recalculatedSales;
    expect([await recalculated(percent(1_000, join)), await recalculated(percent(1_000))]).toEqual([1, 1]);
    await people.admin.patch(`/api/programs/${shop.world.programId}/partners/${carol.id}`, join);
    expect([await recalculated(percent(1_000, join)), await recalculated(percent(1_000))]).toEqual([1, 1]);
    await shop.sell({ customer_key: "c3" });
    expect([await recalculated(percent(1_000, join)), await recalculated(percent(1_000))]).toEqual([2, 1]);
    expect(await recalculated(percent(1_000, { partnerId: carol.id }))).toBe(2);
    expect(await compare(percent(1_000, { groupId: gold.id }))).toEqual([300, 100, 200 + 100]);
    expect(await compare(percent(1_000))).toEqual([300, 400, 100 + 400]);
  });

  test("a simulated policy of type none makes the next policy apply: the group's after the partner's, then the program's", async () => {
    const { shop, gold, compare } = await threePartners();
    expect(await compare({ type: "none", partnerId: shop.alice.id })).toEqual([200, 400, 200]);
    expect(await compare({ type: "none", groupId: gold.id })).toEqual([300, 200, 200]);
    expect(await compare({ type: "none", partnerId: shop.bob.id })).toEqual([300, 400, 200]);
    expect(await compare({ type: "none" })).toEqual([300, 400, 0]);
  });

  test("simulating an existing policy version applies it to all sales of its program, group or partner in the period", async () => {
    const { shop, carol, gold, compare } = await threePartners();
    for (const body of [percent(1_000), percent(500, { groupId: gold.id })]) {
      expect((await people.admin.put(`/api/programs/${shop.world.programId}/commission-policy`, body)).status).toBe(
        200,
      );
    }
    await shop.sell({ customer_key: "c3" });
    const versions = await shop.world.rows(
      "select version, rate_bps from commission_policies where program_id = ?",
      shop.world.programId,
    );
    const ofRate = (rate: number) => ({ version: Number(versions.find(({ rate_bps }) => rate_bps === rate)?.version) });
    expect(await compare(ofRate(2_000))).toEqual([300, 400, 400]);
    expect(await compare(ofRate(1_000))).toEqual([300, 400, 200]);
    expect(await compare(ofRate(500))).toEqual([300, 50, 300]);
    // `todayCents` applies the current policy to all sales of the policy's owner. Other sales keep their actual
    // commission.
    const [alice, bob] = [shop.alice.id, shop.bob.id];
    for (const [policy, sums] of [
      [percent(1_000), { wasCents: 1_000, todayCents: 900, wouldBeCents: 900 }],
      [ofRate(2_000), { wasCents: 1_000, todayCents: 900, wouldBeCents: 1_100 }],
      [percent(1_000, { groupId: gold.id }), { wasCents: 1_000, todayCents: 650, wouldBeCents: 700 }],
      [percent(500, { partnerId: bob }), { wasCents: 1_000, todayCents: 650, wouldBeCents: 650 }],
      [percent(1_000, { partnerId: carol.id }), { wasCents: 1_000, todayCents: 900, wouldBeCents: 900 }],
      [
        { type: "none", partnerId: alice },
        { wasCents: 1_000, todayCents: 1_000, wouldBeCents: 900 },
      ],
    ] as const) {
      const { totals } = await resultOf(shop.world, policy);
      expect(totals, JSON.stringify(policy)).toEqual([{ currency: "EUR", sales: 4, ...sums }]);
    }
  });
});

describe("a simulation", () => {
  const days = { from: "2026-01-01", to: "2026-01-31" };
  test.each<[Json, string[]]>([
    [{ ...days, policy: percent(2_000, { rateBps: 10_001 }) }, ["policy.rateBps"]],
    [{ ...days, policy: { type: "percent", scope: "lifetime" } }, ["policy.rateBps"]],
    [{ ...days, policy: { version: 0 } }, ["policy.version"]],
    [{ ...days, policy: 5 }, ["policy"]],
    [days, ["policy"]],
    [{ policy: percent(2_000), from: "2026-02-30", to: "2026-01-31" }, ["from"]],
    [{ policy: percent(2_000), from: "2026-02-01", to: "2026-01-31" }, ["from"]],
    [{ policy: percent(2_000), from: "2026-02-01" }, ["to"]],
  ])("a simulation is refused with the body %j", async (body, fields) => {
    const world = await people.world();
    const refused = await people.admin.post(path(world), body);
    expect([refused.status, invalidFields(refused)]).toEqual([400, fields]);
  });

  test("a simulation is refused before any calculation if it has more than 100,000 sales", {
    tags: "soak",
  }, async () => {
    // Copied rows contain the explanation of another sale, which the audit would report.
    const shop = salesFixture(programFixture(await people.world({ partners: [{}, {}] }), sharedApi()));
    await shop.refer("c1");
    const { body } = await shop.sell();
    await copyCommission(shop, { sale_id: Number(body.sale_id), commission_id: Number(body.commission_id) }, 100_000);
    expect((await linesOf(shop.world, percent(1_000))).at(-1)).toHaveProperty("result.totals.0.sales", 100_000);
    await shop.sell();
    const refused = await ask(shop.world, percent(1_000));
    expect([refusalOf(refused), refused.body.error.details]).toEqual([
      "400 These days have more than 100,000 attributed sales. Choose fewer days.",
      { code: "too_many_sales", limit: 100_000 },
    ]);
  });

  test("a simulation is refused while another user's simulation runs, and ends an older one of the same user", async () => {
    const shop = salesFixture(programFixture(await people.world({ partners: [{}, {}] }), sharedApi()));
    await shop.refer("c1");
    const { body } = await shop.sell();
    await copyCommission(shop, { sale_id: Number(body.sale_id), commission_id: Number(body.commission_id) }, 2_000);
    const both = (...users: readonly User[]) =>
      Promise.all(users.map((user) => ask(shop.world, percent(1_000), {}, user)));
    const replies = await both(people.owner, people.admin);
    const refused = replies.find(({ status }) => status !== 200);
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 429]);
    expect([refused?.headers.get("retry-after"), refused?.body.error.details]).toEqual([
      "5",
      { code: "simulation_running", retry_after_seconds: 5 },
    ]);
    const own = await both(people.admin, people.admin);
    expect(own.map(({ text }) => /"error"|"result"/.exec(text)?.[0]).sort()).toEqual(['"error"', '"result"']);
    expect(own.map(({ text }) => text).join("")).toContain('"simulation_running"');
  });

  test("a simulation is refused for viewers, and for a partner or group of another program", async () => {
    const world = await people.world();
    const other = await people.world({ groups: [{}] });
    const partnerId = other.partners[0]?.id ?? 0;
    const groupId = other.groups[0]?.id ?? 0;
    expect(refusalOf(await ask(world, percent(1, { partnerId })))).toBe("404 Partner not found");
    expect(refusalOf(await ask(world, percent(1, { groupId })))).toBe("404 Group not found");
    expect(refusalOf(await ask(world, { version: 999 }))).toBe("404 Version not found");
    expect((await ask(world, percent(1), {}, people.viewer)).status).toBe(403);
  });
});
