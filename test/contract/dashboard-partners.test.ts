import { describe, expect, it } from "vitest";
import { openDashboard, shown } from "../support/dashboard.ts";
import { at, daysAgo, inTestMode } from "../support/program-fixture.ts";
import { invalidFields, usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile();
const names = ["Alice", "Bob", "carol", "Dora"];
const open = () => openDashboard(people, { partners: names.map((name) => ({ name })), policies: [{ rateBps: 2_000 }] });

type Shop = Awaited<ReturnType<typeof open>>;
const namesOf = async (shop: Shop, query: Parameters<Shop["partners"]>[0]) =>
  (await shown(shop.partners(query))).data.map(({ name }) => name);

/** Alice has two clicks, and sales of 5.00 EUR and 700 JPY. Bob has one click, and a 9.00 EUR sale, refunded by 4.00. */
async function sell(shop: Shop) {
  const { alice, bob, world, api } = shop;
  for (const { landingUrl } of [alice, alice, bob]) {
    await api.click({ affiliate_url: landingUrl, program_id: world.programId, session_id: "one" });
  }
  await api.click({ affiliate_url: alice.landingUrl, program_id: world.programId, ...inTestMode });
  await shop.lead({ customer_key: "a", click_id: shop.click(alice) });
  await shop.lead({ customer_key: "b", click_id: shop.click(bob) });
  await shop.sale({ customer_key: "a", amount_cents: 500 });
  await shop.sale({ customer_key: "a", amount_cents: 700, currency: "JPY" });
  await shop.sale({ transaction_id: "returned", customer_key: "b", amount_cents: 900 });
  await shop.refund({ transaction_id: "returned", refund_id: "r", refund_amount_cents: 400 });
  await shop.sale({ customer_key: "organic", amount_cents: 100 });
  await shop.sale({ customer_key: "a", amount_cents: 100, ...inTestMode });
}

describe("partners' performance", () => {
  it("the list of partners' performance contains each partner, with counts and with amounts in one currency", async () => {
    const shop = await open();
    await sell(shop);
    const { data, meta } = await shown(shop.partners());
    const listed = { status: "active", destinationUrl: null, link: expect.any(String) };
    const nothing = { clicks: 0, uniqueClicks: 0, leads: 0, sales: 0, refunds: 0 };
    const noMoney = { revenueCents: 0, refundedCents: 0, commissionCents: 0, unpaidCents: 0 };
    expect(data).toMatchObject([
      {
        ...listed,
        ...{ name: "Bob", code: shop.bob.code, id: shop.bob.id, clicks: 1, uniqueClicks: 1, leads: 1, sales: 1 },
        ...{ refunds: 1, revenueCents: 900, refundedCents: 400, commissionCents: 100 },
      },
      {
        ...listed,
        ...{ name: "Alice", clicks: 2, uniqueClicks: 1, leads: 1, sales: 2, refunds: 0 },
        ...{ revenueCents: 500, refundedCents: 0, commissionCents: 100 },
      },
      { ...listed, name: "carol", ...nothing, ...noMoney },
      { ...listed, name: "Dora", ...nothing, ...noMoney },
    ]);
    const today = new Date().toISOString().slice(0, 10);
    expect(meta).toEqual({
      ...{ period: "7d", dateFrom: expect.any(String), dateTo: today, currency: "EUR", otherCurrencies: ["JPY"] },
      totals: {
        ...{ clicks: 3, uniqueClicks: 2, leads: 2, sales: 3, refunds: 1 },
        ...{ revenueCents: 1_400, refundedCents: 400, commissionCents: 200, unpaidCents: 0, carriedCents: 0 },
      },
      ...{ timezone: "UTC", pagination: { page: 1, pageSize: 50, pageCount: 1, total: 4 } },
    });
    const yen = await shown(shop.partners({ currency: "jpy", period: "all" }));
    expect(yen.data[0]).toMatchObject({ name: "Alice", sales: 2, revenueCents: 700, commissionCents: 140 });
    expect(yen.meta).toMatchObject({ period: "all", dateFrom: null, dateTo: null, otherCurrencies: ["EUR"] });
  });

  it("the list of partners' performance sorts by any figure or by name in both directions, and partners with equal figures by name", async () => {
    const shop = await open();
    await sell(shop);
    expect(await namesOf(shop, { sort: "revenue" })).toEqual(["Bob", "Alice", "carol", "Dora"]);
    expect(await namesOf(shop, { sort: "clicks" })).toEqual(["Alice", "Bob", "carol", "Dora"]);
    expect(await namesOf(shop, { sort: "sales", order: "asc" })).toEqual(["carol", "Dora", "Bob", "Alice"]);
    expect(await namesOf(shop, { sort: "leads" })).toEqual(["Alice", "Bob", "carol", "Dora"]);
    expect(await namesOf(shop, { sort: "commission", order: "asc" })).toEqual(["carol", "Dora", "Alice", "Bob"]);
    expect(await namesOf(shop, { sort: "conversion" })).toEqual(["Alice", "Bob", "carol", "Dora"]);
    expect(await namesOf(shop, { sort: "conversion", order: "asc" })).toEqual(["carol", "Dora", "Alice", "Bob"]);
    expect(await namesOf(shop, { sort: "name" })).toEqual(["Alice", "Bob", "carol", "Dora"]);
    expect(await namesOf(shop, { sort: "name", order: "desc" })).toEqual(["Dora", "carol", "Bob", "Alice"]);
  });

  it("the list of partners' performance shows unpaid and carried-over amounts for any period", async () => {
    const shop = await openDashboard(people, {
      partners: names.map((name) => ({ name })),
      policies: [{ rateBps: 2_000, holdDays: 0 }],
    });
    await sell(shop);
    const unpaid = async (query: Parameters<Shop["partners"]>[0] = {}) => {
      const { data, meta } = await shown(shop.partners({ sort: "unpaid", ...query }));
      return [data.map(({ name, unpaidCents }) => [name, unpaidCents]), meta.totals.unpaidCents];
    };
    await shop.sale({ customer_key: "a", amount_cents: 1_000, transaction_id: "kept" });
    const nobody = [
      ["carol", 0],
      ["Dora", 0],
    ];
    expect(await unpaid()).toEqual([[["Alice", 300], ["Bob", 100], ...nobody], 400]);
    expect(await unpaid({ dateFrom: "2020-01-01", dateTo: "2020-01-01" })).toEqual(await unpaid());
    expect(await unpaid({ search: "bob" })).toEqual([[["Bob", 100]], 100]);
    expect(await unpaid({ currency: "JPY" })).toEqual([[["Alice", 140], ["Bob", 0], ...nobody], 140]);

    const payouts = `/api/programs/${shop.world.programId}/payouts`;
    const { body } = await people.owner.post<{ data: { id: number } }>(payouts, { currency: "EUR" });
    expect((await people.owner.post(`${payouts}/${body.data.id}/finalize`, {})).status).toBe(200);
    expect(await unpaid()).toEqual([[["Alice", 0], ["Bob", 0], ...nobody], 0]);
    await shop.refund({ transaction_id: "kept", refund_id: "r" });
    expect(await unpaid({ order: "asc" })).toEqual([[["Alice", -200], ["Bob", 0], ...nobody], -200]);
    expect(await unpaid({ nonzero: "true" })).toEqual([[["Alice", -200]], -200]);
    const { data, meta } = await shown(shop.partners({ sort: "commission", nonzero: "true", page: 2 }));
    expect([data, meta.pagination.total, meta.totals.carriedCents]).toEqual([[], 2, -200]);
  });

  it("the list of partners' performance can be searched by name and code in any case, with matching totals", async () => {
    const shop = await open();
    await sell(shop);
    const { totals } = (await shown(shop.partners({ search: "bob" }))).meta;
    expect(totals).toMatchObject({ clicks: 1, sales: 1, revenueCents: 900 });
    expect(await namesOf(shop, { search: "O", sort: "name" })).toEqual(["Bob", "carol", "Dora"]);
    expect(await namesOf(shop, { search: shop.alice.code.toUpperCase() })).toEqual(["Alice"]);
    const { data, meta } = await shown(shop.partners({ search: "%" }));
    expect(data).toEqual([]);
    expect(meta.pagination).toMatchObject({ total: 0, pageCount: 0 });
  });

  it("a search in the list of partners' performance takes the text literally, ignoring case in any script", async () => {
    const names = ["L'Éclair", "Ωmega", "Über [Zwei]", "a*b?c^d]"];
    const shop = await openDashboard(people, { partners: names.map((name) => ({ name })) });
    const found = (search: string) => namesOf(shop, { search, sort: "name" });
    for (const search of ["éclair", "ÉCLAIR", "ÉcLaIr", "l'é"]) expect(await found(search)).toEqual(["L'Éclair"]);
    for (const search of ["ωMEGA", "Ω"]) expect(await found(search)).toEqual(["Ωmega"]);
    for (const search of ["ÜBER [", "[zwei]", "r [z"]) expect(await found(search)).toEqual(["Über [Zwei]"]);
    for (const search of ["*", "?", "^d]", "A*B?C^D]"]) expect(await found(search)).toEqual(["a*b?c^d]"]);
    for (const search of ["a?b", "[a-z]", "Eclair"]) expect(await found(search)).toEqual([]);
  });

  it("the list of partners' performance counts only the requested days", async () => {
    const shop = await open();
    await shop.lead({ customer_key: "a", click_id: shop.click(shop.alice, daysAgo(20)), occurred_at: at(daysAgo(20)) });
    await shop.sale({ customer_key: "a", amount_cents: 500, occurred_at: at(daysAgo(10)) });
    expect((await shown(shop.partners())).data[0]).toMatchObject({ sales: 0, revenueCents: 0 });
    expect((await shown(shop.partners({ period: "30d" }))).data[0]).toMatchObject({ name: "Alice", sales: 1 });
    const day = at(daysAgo(10)).slice(0, 10);
    const { data, meta } = await shown(shop.partners({ dateFrom: day, dateTo: day }));
    expect(data[0]).toMatchObject({ leads: 0, sales: 1 });
    expect(meta).toMatchObject({ period: "custom", dateFrom: day, dateTo: day });
  });

  it("the list of partners' performance has pages of 50 partners, and a page after the last one is empty", async () => {
    const partners = Array.from({ length: 51 }, (_, i) => ({ name: `Partner ${100 + i}` }));
    const shop = await openDashboard(people, { partners });
    const first = await shown(shop.partners({ sort: "name" }));
    const second = await shown(shop.partners({ sort: "name", page: 2 }));
    expect([...first.data, ...second.data].map(({ name }) => name)).toEqual(partners.map(({ name }) => name));
    expect(second.meta.pagination).toEqual({ page: 2, pageSize: 50, pageCount: 2, total: 51 });
    const third = await shown(shop.partners({ page: 3 }));
    expect(third.data).toEqual([]);
    expect(third.meta.pagination.total).toBe(51);
  });

  it("the list of partners' performance never contains the partner that verification runs use, or another program's partners", async () => {
    const shop = await open();
    await open();
    await shop.runVerification();
    expect(await namesOf(shop, { sort: "name" })).toEqual(names);
  });

  it.each([
    [{ sort: "code" }, ["sort"]],
    [{ order: "up" }, ["order"]],
    [{ page: 0 }, ["page"]],
    [{ page: 1_001 }, ["page"]],
    [{ search: " " }, ["search"]],
    [{ period: "1d" }, ["period"]],
    [{ dateFrom: "2026-01-01" }, ["dateFrom"]],
    [{ currency: "EURO" }, ["currency"]],
  ])("the list of partners' performance refuses %o", async (query, fields) => {
    const shop = await open();
    const reply = await shop.partners(query);
    expect(reply.status).toBe(400);
    expect(invalidFields(reply)).toEqual(fields);
  });
});
