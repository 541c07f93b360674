import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../harness/client.ts";
import type { World } from "../../harness/world.ts";
import { correctionFixture } from "../support/correction-fixture.ts";
import {
  at,
  createProgramFixture,
  daysAgo,
  inTestMode,
  minute,
  type ProgramFixture,
} from "../support/program-fixture.ts";
import { allAtOnce } from "../support/sales-fixture.ts";
import { sharedApi } from "../support/shared-service.ts";
import { invalidFields, refusalOf, usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile();
const { open, correct } = correctionFixture(people);

interface List {
  readonly data: JsonObject[];
  readonly meta: { readonly next_cursor: string | null };
}
interface Found {
  readonly found: JsonObject[];
  readonly absent: string[];
}

const base = "/api/v1/programs/me/sales";
const list = ({ key }: Pick<World, "key">, query = "") => sharedApi().request<List>("GET", `${base}${query}`, { key });
const lookup = ({ key }: Pick<World, "key">, body: JsonObject) =>
  sharedApi().request<Found>("POST", `${base}/lookup`, { key, body });

const idsOf = async (world: World, query = "") => (await list(world, query)).body.data.map((row) => row.transaction_id);

/** Records a sale of Alice's customer with a refund, and a sale without a partner. */
async function sold(): Promise<ProgramFixture> {
  const shop = await createProgramFixture({ members: people.members() });
  await shop.lead({ customer_key: "c1", click_id: shop.click(shop.alice, daysAgo(9)), occurred_at: at(daysAgo(8)) });
  const sale = { transaction_id: "in_1", customer_key: "c1", amount_cents: 4_900, currency: "USD" };
  await shop.sale({ ...sale, occurred_at: at(daysAgo(3)) });
  await shop.refund({ transaction_id: "in_1", refund_id: "r", refund_amount_cents: 900 });
  await shop.sale({ transaction_id: "in_2", customer_key: "organic", occurred_at: at(daysAgo(2)) });
  return shop;
}

const figures = { transaction_id: "in_1", amount_cents: 4_900, currency: "USD", refunded_cents: 900 };

describe("recorded sales", () => {
  test("recorded sales are listed newest first, with refunds and the partner's code", async () => {
    const { world, alice } = await sold();
    expect((await list(world)).body).toEqual({
      data: [
        {
          ...{ transaction_id: "in_2", amount_cents: 10_000, currency: "EUR", refunded_cents: 0 },
          ...{ occurred_at: at(daysAgo(2)), partner_code: null },
        },
        { ...figures, occurred_at: at(daysAgo(3)), partner_code: alice.code },
      ],
      meta: { next_cursor: null },
    });
  });

  test("recorded sales can be listed from one instant (inclusive) to another (exclusive)", async () => {
    const { world } = await sold();
    expect(await idsOf(world, `?from=${at(daysAgo(3))}`)).toEqual(["in_2", "in_1"]);
    expect(await idsOf(world, `?from=${at(daysAgo(3, 1))}`)).toEqual(["in_2"]);
    expect(await idsOf(world, `?to=${at(daysAgo(2))}`)).toEqual(["in_1"]);
    expect(await idsOf(world, `?from=${at(daysAgo(3, 1))}&to=${at(daysAgo(2))}`)).toEqual([]);
  });

  test.each(["from=today", "to=2026-01-01", "cursor=x", "test_mode=yes"])(
    "recorded sales can't be listed with %s",
    async (query) => {
      const refused = await list((await createProgramFixture()).world, `?${query}`);
      expect([refused.status, invalidFields(refused)]).toEqual([400, [query.split("=")[0]]]);
    },
  );

  test("recorded sales are each listed once across all pages, even if several have the same instant", async () => {
    const { world, sale } = await createProgramFixture();
    const body = { customer_key: "c", amount_cents: 100 };
    await allAtOnce(505, (i) =>
      sale({ ...body, transaction_id: `many-${i}`, occurred_at: at(daysAgo(1, Math.floor(i / 3))) }),
    );
    const pages: unknown[][] = [];
    for (let query: string | null = ""; query !== null; ) {
      const { body } = await list(world, query);
      pages.push(body.data.map((row) => row.transaction_id));
      query = body.meta.next_cursor && `?cursor=${body.meta.next_cursor}`;
    }
    expect(pages.map((page) => page.length)).toEqual([500, 5]);
    expect(new Set(pages.flat()).size).toBe(505);
  });

  test("recorded test sales are listed and found only in test mode, and sales of a verification run aren't listed", async () => {
    const { world, sale, api } = await sold();
    await sale({ transaction_id: "in_1", customer_key: "t", amount_cents: 700, ...inTestMode });
    await sale({ transaction_id: "tried", customer_key: "t", ...inTestMode });
    expect((await api.verification({ key: world.key })).status).toBe(200);
    expect((await idsOf(world, "?test_mode=true")).sort()).toEqual(["in_1", "tried"]);
    expect((await idsOf(world, "?test_mode=false")).sort()).toEqual(["in_1", "in_2"]);
    const { body } = await lookup(world, { transaction_ids: ["in_1", "in_2"], test_mode: true });
    expect(body).toMatchObject({ found: [{ transaction_id: "in_1", amount_cents: 700 }], absent: ["in_2"] });
  });
});

describe("a lookup of sales", () => {
  test("a lookup of sales returns each id once, as found or absent, in the order of the request", async () => {
    const { world, alice } = await sold();
    const { body } = await lookup(world, { transaction_ids: ["x", "in_2", " in_1 ", "in_1", "IN_1"] });
    expect(body).toEqual({
      found: [
        expect.objectContaining({ transaction_id: "in_2", partner_code: null }),
        { ...figures, occurred_at: at(daysAgo(3)), partner_code: alice.code },
      ],
      absent: ["x", "IN_1"],
    });
  });

  test("a lookup of sales accepts 500 ids of 255 characters", async () => {
    const { world } = await createProgramFixture();
    const ids = Array.from({ length: 500 }, (_, i) => `${i}`.padEnd(255, "‰"));
    expect((await lookup(world, { transaction_ids: ids })).body).toEqual({ found: [], absent: ids });
  });

  test.each<[what: string, path: string, ids: JsonObject[string]]>([
    ["no id", "transaction_ids", []],
    ["501 ids", "transaction_ids", Array.from({ length: 501 }, String)],
    ["a blank id", "transaction_ids.0", [" "]],
    ["a number", "transaction_ids.0", [1]],
    ["a text", "transaction_ids", "in_1"],
  ])("a lookup of sales by %s is refused", async (_, path, ids) => {
    const refused = await lookup((await createProgramFixture()).world, { transaction_ids: ids });
    expect([refused.status, invalidFields(refused)]).toEqual([400, [path]]);
  });

  test("a lookup of sales finds a sale by its original id even if the id contained the key of a customer who was erased", async () => {
    const { world, sale } = await sold();
    await sale({ transaction_id: "order-of-customer-77", customer_key: "customer-77", amount_cents: 1_500 });
    const erased = await people.owner.post(`/api/programs/${world.programId}/privacy/erase`, {
      customerKey: "customer-77",
      confirm: true,
    });
    expect(erased.status).toBe(200);
    const { body } = await lookup(world, { transaction_ids: ["order-of-customer-77", "order-of-customer-78"] });
    expect(body).toMatchObject({
      found: [{ transaction_id: "order-of-customer-77", amount_cents: 1_500 }],
      absent: ["order-of-customer-78"],
    });
  });
});

test("a corrected sale is listed once and found by each of its ids, with the figures of its newest version", async () => {
  const { shop, sale } = await open();
  const { body } = await correct(shop, sale.sale_id, { amountCents: 4_900 });
  await shop.refund({ transaction_id: "t", refund_id: "late", refund_amount_cents: 400 });
  await correct(shop, body.data.after.saleId ?? 0, { amountCents: 5_900 });
  const newest = { amount_cents: 5_900, refunded_cents: 400, partner_code: shop.alice.code };
  expect((await list(shop.world)).body.data).toEqual([expect.objectContaining({ transaction_id: "t", ...newest })]);
  const ids = ["t", "t~1", "t~2"];
  expect((await lookup(shop.world, { transaction_ids: ids })).body).toEqual({
    found: ids.map((transaction_id) => expect.objectContaining({ transaction_id, ...newest })),
    absent: [],
  });
});

describe("a reconciliation report", () => {
  const counts = { matched: 10_000, missing: 37, unexpected: 11, differs: 9 };
  const report = (world: Pick<World, "key">, body: JsonObject = {}) =>
    sharedApi().request<{ data: JsonObject }>("POST", "/api/v1/programs/me/reconciliations", {
      key: world.key,
      body: { processor: "stripe", from: at(daysAgo(30)), to: at(daysAgo(0)), ...counts, ...body },
    });
  const lastOf = async ({ key }: Pick<World, "key">) => (await sharedApi().readiness({ key })).body.last_reconciliation;

  const passesOf = (gates: unknown) => Object.values(Object(gates)).map((gate) => Object(gate).status);

  test("the readiness report contains the latest reconciliation report, which doesn't change whether a gate passes", async () => {
    const { world } = await createProgramFixture();
    const before = (await sharedApi().readiness({ key: world.key })).body;
    expect(before.last_reconciliation).toBeNull();
    const first = await report(world);
    expect(first.status).toBe(201);
    expect(first.body.data).toEqual({
      ...{ processor: "stripe", from: at(daysAgo(30)), to: at(daysAgo(0)), ...counts },
      reported_at: expect.any(String),
    });
    const { last_reconciliation, gates, ...rest } = (await sharedApi().readiness({ key: world.key })).body;
    expect(last_reconciliation).toEqual(first.body.data);
    expect(rest).toEqual({ ...before, last_reconciliation: undefined, gates: undefined });
    expect(passesOf(gates)).toEqual(passesOf(before.gates));
    await report(world, { processor: "paddle", missing: 0 });
    expect(await lastOf(world)).toMatchObject({ processor: "paddle", missing: 0 });
  });

  test.each<[string, JsonObject]>([
    ["processor", { processor: "Stripe!" }],
    ["from", { from: at(daysAgo(0, minute)) }],
    ["to", { to: "yesterday" }],
    ["matched", { matched: -1 }],
    ["missing", { missing: 0.5 }],
    ["differs", { differs: null }],
  ])("a reconciliation report with an invalid %s is refused, and the previous report stays", async (field, change) => {
    const { world } = await createProgramFixture();
    await report(world);
    const refused = await report(world, change);
    expect([refused.status, invalidFields(refused)]).toEqual([400, [field]]);
    expect(await lastOf(world)).toMatchObject(counts);
  });

  test("a reconciliation report isn't accepted from a test key", async () => {
    const { world } = await createProgramFixture({ keys: [{}, { book: "test", scopes: ["track", "read"] }] });
    const refused = await report({ key: world.keys[1] ?? "" });
    expect(refusalOf(refused)).toBe("403 This API key works only in test mode.");
    expect(await lastOf(world)).toBeNull();
  });
});
