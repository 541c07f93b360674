import { expect, test } from "vitest";
import { erasingCallsOf } from "../support/erasing-calls.ts";
import { isolatedDatabase } from "../support/isolated-database.ts";
import { daysAgo } from "../support/program-fixture.ts";
import { openShop } from "./signals-shop.ts";

// A refund that is sent again after an erasure is recognized as a duplicate.

const own = isolatedDatabase();

/** Records a sale of 1,000 cents for the customer `to`, and refunds 300 of them under this id. */
async function refunded({ to, refundId, correctedTo }: { to: string; refundId: string; correctedTo?: string }) {
  const shop = await openShop(own.server.url);
  const { world, correct, refer, refund, sell } = shop;
  await refer(to);
  await sell("t1", { customerKey: to });
  if (correctedTo !== undefined) await correct("t1", { amountCents: 900, customerKey: correctedTo });
  const told = { cents: 300, refundId, reason: "too small" };
  await refund("t1", "amount", told);
  return {
    ...shop,
    erase: (key: string, after = 1) => erasingCallsOf(world, shop).erase(key, { at: daysAgo(0) + after }),
    again: () => refund("t1", "amount", told),
    cancel: () => refund("t1", "cancel", { refundId }),
    counted: async () => {
      const [sum] = await world.rows(
        "select sum(counted_cents) as cents from refunds where program_id = ? and asked = 'amount'",
        world.programId,
      );
      return Number(sum?.cents);
    },
  };
}

test("a refund id that equals the key of another customer, who is erased later, is pseudonymized, and recognized when the refund is sent again", async () => {
  const { again, cancel, counted, erase, sell } = await refunded({ to: "41", refundId: "17" });
  await sell("t2", { customerKey: "17" });
  await erase("41");
  await erase("17", 2);
  expect(await again()).toMatchObject({ status: "skipped", refundId: "17", refundedTotalCents: 300 });
  expect(await counted()).toBe(300);
  expect(await cancel()).toMatchObject({ refundId: "17", isUnknown: false, refundedTotalCents: 0 });
});

test.each([
  ["zebra-1", "zebra-1"],
  ["lion-1", "zebra-1"],
  ["zebra-1", "lion-1"],
])(
  "a refund id that contains an erased customer_key is recognized if the refund's sale of %s was corrected to %s",
  async (to, correctedTo) => {
    const { again, cancel, counted, erase } = await refunded({ to, correctedTo, refundId: "RE-ZEBRA-1" });
    await erase("zebra-1");
    expect(await again()).toMatchObject({ status: "skipped", refundId: "RE-ZEBRA-1", refundedTotalCents: 300 });
    expect(await counted()).toBe(300);
    expect(await cancel()).toMatchObject({ isUnknown: false, refundedTotalCents: 0 });
  },
);
