import { expect, it } from "vitest";
import { isolatedService } from "../support/isolated-service.ts";
import { type ProgramFixture, programFixture } from "../support/program-fixture.ts";

const own = isolatedService();

/**
 * Has the Ledger decide the call twice. The call's first commit succeeds but its response is lost, and another writer
 * takes over during the retry. The new writer decides the call again and finds it recorded.
 */
async function decidedTwice<T>({ world }: ProgramFixture, call: () => Promise<T>): Promise<T> {
  const isTakenOver = Promise.withResolvers<void>();
  own.proxy.inject({ kind: "hold", until: isTakenOver.promise }, { only: "writes", times: 1 });
  own.proxy.inject({ kind: "cut" }, { only: "writes", times: 1 });
  const before = await epoch();
  own.proxy.resetCounts();
  const reply = call();
  await expect.poll(() => own.proxy.counts.writes, { interval: 5 }).toBe(2);
  await world.change();
  isTakenOver.resolve();
  const answer = await reply;
  expect(await epoch(), "a third instance has claimed the place").toBe(before + 2);
  return answer;
}

const epoch = async () => Number((await (await own.world()).rows("select epoch from ledger_writers"))[0]?.epoch);

type Step = (shop: ProgramFixture) => Promise<unknown>;
const sale = { transaction_id: "t", customer_key: "u" };
const refund = { transaction_id: "t", refund_amount_cents: 400 };

it.each<[string, Step, Step, object, Partial<Record<"clicks" | "leads" | "sales" | "refunds", number>>]>([
  ["a click", ({ visit }) => visit(), ({ visit }) => visit(), { success: true }, { clicks: 2 }],
  [
    "a click of an event",
    ({ visit }) => visit(),
    ({ visit }) => visit({ event_id: "e" }),
    { success: true },
    { clicks: 2 },
  ],
  [
    "a lead",
    ({ visit }) => visit(),
    ({ lead, click, alice }) => lead({ click_id: click(alice), customer_key: "u" }),
    { success: true, message: "Lead tracked successfully", attributed: true },
    { leads: 1 },
  ],
  [
    "a lead that moves",
    ({ lead, click, alice }) => lead({ click_id: click(alice), customer_key: "u" }),
    ({ lead, click, bob }) => lead({ click_id: click(bob, Date.now()), customer_key: "u" }),
    { attributed: true, moved: true },
    { leads: 1 },
  ],
  [
    "a lead that attributes earlier sales",
    (shop) => shop.sale(sale),
    ({ lead, click, alice }) => lead({ click_id: click(alice), customer_key: "u" }),
    { attributed: true, attributed_sales: [{ sale_id: expect.any(Number), commission_id: expect.any(Number) }] },
    { leads: 1 },
  ],
  [
    "a sale",
    ({ lead, click, alice }) => lead({ click_id: click(alice), customer_key: "u" }),
    (shop) => shop.sale(sale),
    { success: true, attributed: true, commission: { amount_cents: 2_000 } },
    { sales: 1 },
  ],
  [
    "a sale that was its subscription's first payment",
    (shop) => shop.sale({ ...sale, transaction_id: "of another subscription", subscription_id: "other" }),
    (shop) => shop.sale({ ...sale, subscription_id: "s", is_recurring: "auto" }),
    { success: true, is_recurring: false },
    { sales: 2 },
  ],
  [
    "a refund without an id",
    (shop) => shop.sale(sale),
    (shop) => shop.refund(refund),
    { status: "no_commission", refunded_cents: 400, refunded_total_cents: 400 },
    { refunds: 1 },
  ],
])(
  "if the response to its commit was lost, %s gets the response of its first decision",
  async (_, before, call, answer, recorded) => {
    const shop = programFixture(await own.world({ partners: [{}, {}] }), own.api());
    await before(shop);
    const reply = await decidedTwice(shop, () => call(shop));
    expect(reply).toMatchObject(answer);
    expect(reply).not.toHaveProperty("duplicate");
    for (const [table, count] of Object.entries(recorded)) {
      expect(await shop.all(table as keyof typeof recorded), table).toHaveLength(count);
    }
  },
);
