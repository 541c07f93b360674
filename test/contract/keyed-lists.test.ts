import { expect, test } from "vitest";
import { snakeKeys } from "#http/schema/camel-keys.ts";
import type { JsonObject } from "../../harness/client.ts";
import type { World } from "../../harness/world.ts";
import { programFixture } from "../support/program-fixture.ts";
import { allAtOnce } from "../support/sales-fixture.ts";
import { sharedApi } from "../support/shared-service.ts";
import { invalidFields, usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile();

interface List {
  readonly data: JsonObject[];
  readonly meta: { readonly next_cursor: string | null };
}

const list = (world: World, path: string, key = world.key) =>
  sharedApi().request<List>("GET", `/api/v1/programs/me/${path}`, { key });
const shown = async (world: World, path: string) =>
  (await people.owner.get<{ data: JsonObject[] }>(`/api/programs/${world.programId}/${path}`)).body.data;

/** Records one sale for each of two partners, and one without a partner. */
async function sold(keys?: Parameters<typeof people.world>[0]) {
  const world = await people.world({ partners: [{}, {}], policies: [{ holdDays: 0 }], ...keys });
  const shop = programFixture(world, sharedApi());
  await shop.lead({ customer_key: "a", click_id: shop.click(shop.alice) });
  await shop.lead({ customer_key: "b", click_id: shop.click(shop.bob) });
  await shop.sale({ transaction_id: "a1", customer_key: "a" });
  await shop.sale({ transaction_id: "b1", customer_key: "b", currency: "USD" });
  await shop.sale({ transaction_id: "organic", customer_key: "c" });
  return shop;
}

async function payout(world: World) {
  const at = `/api/programs/${world.programId}/payouts`;
  const note = "Paid from the second account";
  const { body } = await people.owner.post<{ data: { id: number } }>(at, { currency: "EUR", reference: "p", note });
  expect((await people.owner.post(`${at}/${body.data.id}/finalize`, {})).status).toBe(200);
  return body.data.id;
}

test("commissions read with a key equal those of the dashboard, without the explanation, and can be filtered", async () => {
  const { world, alice } = await sold();
  const { body, text } = await list(world, "commissions");
  const rows = (await shown(world, "commissions")).map(({ explanation: _, ref: _ref, ...row }) => snakeKeys(row));
  expect(body.data).toEqual(rows);
  expect(body.data.map((row) => row.transaction_id)).toEqual(["b1", "a1"]);
  expect(text).not.toContain("explanation");
  const of = async (query: string) =>
    (await list(world, `commissions?${query}`)).body.data.map((row) => row.transaction_id);
  expect(await of(`partner_id=${alice.id}`)).toEqual(["a1"]);
  expect(await of("currency=usd&status=approved")).toEqual(["b1"]);
  expect(await of("status=void&reason=customer_not_found")).toEqual(["organic"]);
  expect(await of("date_to=2020-01-01")).toEqual([]);
});

test.each(["status=gone", "partner_id=x", "currency=EU", "date_from=2026-02-30", "reason=none", "cursor=x"])(
  "a list of commissions with the query %s is refused",
  async (query) => {
    const refused = await list(await people.world(), `commissions?${query}`);
    expect([refused.status, invalidFields(refused)]).toEqual([400, [query.split("=")[0]]]);
  },
);

test("a list read with a key is refused if date_from is after date_to", async () => {
  const refused = await list(await people.world(), "commissions?date_from=2026-02-02&date_to=2026-02-01");
  expect([refused.status, invalidFields(refused)]).toEqual([400, ["date_from"]]);
});

test("the pages of a list that a key reads contain each row once", async () => {
  const shop = await sold();
  await allAtOnce(55, (i) => shop.sale({ transaction_id: `more-${i}`, customer_key: "a" }));
  const first = await list(shop.world, "commissions");
  const second = await list(shop.world, `commissions?cursor=${first.body.meta.next_cursor}`);
  const all = [...first.body.data, ...second.body.data].map((row) => row.transaction_id);
  expect([first.body.data.length, all.length, new Set(all).size]).toEqual([50, 57, 57]);
  expect(second.body.meta).toEqual({ next_cursor: null });
});

test("balances and payouts read with a key equal those of the dashboard, without internal fields", async () => {
  const { world } = await sold();
  const id = await payout(world);
  expect((await list(world, "balances")).body.data).toEqual(
    (await shown(world, "balances")).map((row) => snakeKeys(row)),
  );
  expect((await list(world, "balances?currency=USD")).body.data).toHaveLength(1);
  const { body, text } = await list(world, "payouts");
  expect(body.data).toMatchObject([{ id, reference: "p", status: "final", total_cents: 2_000, line_count: 1 }]);
  for (const hidden of ["note", "created_by", "finalized_by", people.owner.userId]) expect(text).not.toContain(hidden);
});

test("the commissions of a payout read with a key are those it reserved, and another program's payout isn't found", async () => {
  const { world } = await sold();
  const id = await payout(world);
  const { body } = await list(world, `payouts/${id}/commissions`);
  expect(body.data).toMatchObject([{ transaction_id: "a1", in_payout: true, amount_cents: 2_000 }]);
  const other = await people.world();
  for (const [asking, payoutId] of [
    [other, id],
    [world, "x"],
    [world, 0],
  ] as const) {
    const { status, body } = await list(asking, `payouts/${payoutId}/commissions`);
    expect([status, body.error.message]).toEqual([404, "Payout not found"]);
  }
});

test("the lists that a key reads contain no data of another program or of the test book", async () => {
  const { world } = await sold();
  const other = programFixture(await people.world({ partners: [{}, {}] }), sharedApi());
  const test_mode = { additional_data: { test_mode: true } };
  await other.sale({ transaction_id: "tried", customer_key: "a", ...test_mode });
  for (const path of ["commissions", "commissions?status=void", "balances", "payouts"]) {
    expect((await list(other.world, path)).body.data, path).toEqual([]);
  }
  expect((await list(world, "commissions")).body.data).toHaveLength(2);
});

test("a retiring key can still read lists, and the responses contain a warning", async () => {
  const world = await people.world({ keys: [{ retiresAt: Date.now() + 3_600_000 }] });
  const { status, body } = await list(world, "payouts");
  expect([status, body.warnings[0]?.code]).toEqual([200, "api_key_rotation_required"]);
});
