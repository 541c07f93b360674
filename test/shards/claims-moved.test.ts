/** @module-tag soak */
import { expect, test } from "vitest";
import { dateUtc } from "#domain/calendar.ts";
import { auditLedger } from "../../scripts/audit/ledger.ts";
import { embedded } from "../support/embedded.ts";
import { type Data, movingShops } from "../support/moving-shops.ts";
import { shardedService } from "../support/sharded-service.ts";

const own = shardedService("weur", "enam");
const { owner, clientOf, shopAt, move } = movingShops(own);

test("a claim about a missing sale is opened on one shard and decided on another, and the counts of open claims are migrated with its program", async () => {
  const shop = await shopAt(1);
  const { id, api, key } = shop;
  const program = `/api/programs/${id}`;
  const shown = await owner().put(`${program}/embed`, { origins: [], show: { claims: true } });
  expect(shown.status, shown.text).toBe(200);
  const page = await embedded(api, { key });
  expect((await page.createLink()).status).toBe(201);
  const claim = (note: string) =>
    api.request<Data<{ ref: string; own: string[] }>>("POST", "/api/embed/claims", {
      body: { day: dateUtc(Date.now()), note },
      key: page.token,
    });
  const sale = { transaction_id: "order", customer_key: "bought", amount_cents: 4_900 };
  expect((await api.sale(sale, { key })).status).toBe(200);
  const before = await claim("before");
  expect([before.status, before.body.data.own]).toEqual([201, []]);

  await move(shop, 2);
  expect((await claim("before")).body.data).toEqual(before.body.data);
  expect((await claim("after")).status).toBe(201);
  const { body } = await owner().get<Data<{ id: number; candidates: { saleId: number }[] }[]>>(`${program}/claims`);
  const [second, first] = body.data;
  const saleId = first?.candidates[0]?.saleId;
  const resolved = await owner().post(`${program}/claims/${first?.id}/resolve`, {
    outcome: "theirs",
    saleId,
    payPast: true,
  });
  expect(resolved.status, resolved.text).toBe(200);
  await owner().post(`${program}/claims/${second?.id}/resolve`, { outcome: "declined" });
  const listed = await page.get<Data<{ ref: string; status: string }[]>>("claims");
  expect(listed.body.data).toMatchObject([{ status: "declined" }, { status: "theirs", ref: before.body.data.ref }]);
  expect(await own.rows(2, "select open from claim_counts where program_id = ?", id)).toEqual([{ open: 0 }]);
  for (const shard of [1, 2]) expect(await auditLedger(clientOf(shard))).toEqual([]);
});
