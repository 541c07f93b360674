import { expect, it } from "vitest";
import { askExplain } from "../support/explain.ts";
import { isolatedService } from "../support/isolated-service.ts";
import { copyCommission } from "../support/many-commissions.ts";
import { programFixture } from "../support/program-fixture.ts";
import { salesFixture } from "../support/sales-fixture.ts";
import { withinMinute } from "../support/within-minute.ts";

const own = isolatedService({ limits: { EXPLAIN_LIMIT: 4, USER_READ_LIMIT: 4 } });

it("an explanation that adds up 3,000 sales counts as four calls against the rate limit", {
  tags: "finding",
}, async () => {
  const owner = await own.user();
  const world = await own.world({ members: [{ user: owner, role: "owner" }], partners: [{}, {}] });
  const shop = salesFixture(programFixture(world, own.api()));
  await shop.refer("c1");
  const { body } = await shop.sell({ transaction_id: "t1", customer_key: "c1" });
  await copyCommission(shop, body as { sale_id: number; commission_id: number }, 3_000);
  const byKey = () => askExplain(own.api(), { customer_key: "c1" }, { key: world.key });
  const byOwner = () => owner.get(`/api/tracking/explain/${world.programId}?customerKey=c1`);
  const statuses = await withinMinute(async () => {
    const all: number[] = [];
    for (const explain of [byKey, byKey, byOwner, byOwner]) all.push((await explain()).status);
    return all;
  });
  expect(statuses).toEqual([200, 429, 200, 429]);
});
