/** @module-tag soak */
import { expect, test } from "vitest";
import { auditLedger } from "../../scripts/audit/ledger.ts";
import { type Data, movingShops } from "../support/moving-shops.ts";
import { shardedService } from "../support/sharded-service.ts";

const own = shardedService("weur", "enam");
const { owner, clientOf, shopAt, move } = movingShops(own);

test("coupons, groups and rules of a migrated program apply on the target shard as before", async () => {
  const shop = await shopAt(1);
  const { id, api, key } = shop;
  const program = `/api/programs/${id}`;
  const post = async (path: string, body: object) => {
    const { status, text, body: made } = await owner().post<Data<{ id: number }>>(`${program}/${path}`, { ...body });
    expect([200, 201], text).toContain(status);
    return made.data.id;
  };
  const groupId = await post("groups", { name: "Gold" });
  const ben = await post("partners", { name: "Ben", code: `b${id}`, groupId });
  await post("coupons", { codes: ["BEN10"], partnerId: ben });
  const policy = await owner().put(`${program}/commission-policy`, {
    ...{ type: "percent", rateBps: 3_000, scope: "lifetime", holdDays: 30, groupId },
    rules: [{ when: { productIds: ["pro"], coupon: true }, rateBps: 1_000 }],
  });
  expect(policy.status, policy.text).toBe(200);
  const items = [
    { product_id: "basic", amount_cents: 3_000 },
    { product_id: "pro", amount_cents: 1_900 },
  ];
  const sell = async (transaction_id: string, customer_key: string, coupon_codes: string[]) => {
    const sale = { transaction_id, customer_key, amount_cents: 4_900, items, coupon_codes };
    const { text, body } = await api.sale(sale, { key });
    expect(body.success, text).toBe(true);
    return [body.partner_code, body.source, body.commission.amount_cents];
  };
  const { click_id } = (await shop.click()).body;
  const ofBen = (cents: number) => [`b${id}`, "coupon", cents];
  expect(await sell("t1", "open", ["ben10"])).toEqual(ofBen(1_090));
  expect(await sell("t2", "loyal", ["ben10"])).toEqual(ofBen(1_090));

  await move(shop, 2);
  expect(await sell("t3", "new", ["BEN10"])).toEqual(ofBen(1_090));
  expect(await sell("t4", "loyal", [])).toEqual(ofBen(1_470));
  const taken = await owner().post(`${program}/coupons`, { codes: ["Ben10"], partnerId: ben });
  expect(taken.status).toBe(409);
  const [{ occurred_at: soldAt } = expect.unreachable()] = await own.rows(
    2,
    "select occurred_at from sales where program_id = ? and transaction_id = 't1'",
    id,
  );
  const clicked = { click_id, customer_key: "open", occurred_at: new Date(Number(soldAt)).toISOString() };
  expect((await api.lead(clicked, { key })).status).toBe(200);
  const moved = await own.rows(
    2,
    `select s.transaction_id as t, c.source, c.partner_id = ${shop.partnerId} as is_annas from sales s
     join commissions c on c.sale_id = s.id where s.program_id = ? order by s.id`,
    id,
  );
  expect(moved).toEqual([
    { t: "t1", source: "click", is_annas: 1 },
    { t: "t2", source: "coupon", is_annas: 0 },
    { t: "t3", source: "coupon", is_annas: 0 },
    { t: "t4", source: "coupon", is_annas: 0 },
  ]);
  for (const shard of [1, 2]) expect(await auditLedger(clientOf(shard))).toEqual([]);
});
