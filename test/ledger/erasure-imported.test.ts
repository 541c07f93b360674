import { expect, test } from "vitest";
import { erasingCallsOf } from "../support/erasing-calls.ts";
import { isolatedDatabase } from "../support/isolated-database.ts";
import { daysAgo } from "../support/program-fixture.ts";
import { openShop, shopClock } from "./signals-shop.ts";

const own = isolatedDatabase();

test.each(["sub_zebra-1", "sub_1"])(
  "an import of an erased customer is refused, and payments of the subscription %s earn the one_time commission once",
  async (subscriptionId) => {
    const shop = await openShop(own.server.url, { policies: [{ scope: "one_time", holdDays: 0 }] });
    const { by, change, sell, world } = shop;
    const row = { line: 1, customerKey: "zebra-1", partnerCode: world.partner.code, since: undefined, payPast: false };
    const told = (more: object, at = shopClock.now() + 2) =>
      change({
        ...{ ...by("owner", at), kind: "import-customers", source: "E", isDryRun: false },
        rows: [{ ...row, firstSaleAt: undefined, subscriptionId: undefined, ...more }],
      });
    const payment = { customerKey: "zebra-1", subscriptionId, saleType: "subscription" } as const;
    await told({ subscriptionId }, daysAgo(1));
    await sell("t1", payment);
    await erasingCallsOf(world, shop).erase("zebra-1");
    const again = { result: "refused", code: "erased", field: "customer_key" };
    expect(await told({ subscriptionId })).toMatchObject({ outcomes: [again] });
    expect(await told({})).toMatchObject({ outcomes: [again] });
    expect(await told({ customerKey: "lion-1", subscriptionId })).toMatchObject({
      outcomes: [{ result: "refused", code: "subscription_taken", field: "subscription_id" }],
    });
    await sell("t2", payment);
    expect(
      await world.rows("select amount_cents from ledger_entries where program_id = ?", world.programId),
    ).toHaveLength(1);
    expect(await told({ customerKey: "lion-1", subscriptionId: "sub_2" })).toMatchObject({
      outcomes: [{ result: "created" }],
    });
    expect(await told({ customerKey: "lynx-1" })).toMatchObject({ outcomes: [{ result: "created" }] });
  },
);
