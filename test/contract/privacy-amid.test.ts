import { describe, expect, test } from "vitest";
import type { Reply } from "../../harness/client.ts";
import { sampled } from "../support/breadth.ts";
import { customersShop, told } from "../support/customers-shop.ts";
import { payoutsFixture } from "../support/payouts-fixture.ts";
import { at, daysAgo } from "../support/program-fixture.ts";
import { rowsNaming } from "../support/rows-naming.ts";
import { usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile();

type Shop = Awaited<ReturnType<typeof open>>;

/** A shop with a customer of Alice who has a subscription. */
async function open() {
  const shop = await payoutsFixture(people);
  const zebra = `zebra${shop.world.programId}`;
  const program = `/api/programs/${shop.world.programId}`;
  const { click_id } = await shop.visit({ page_title: `${zebra} page` });
  await shop.lead({ customer_key: zebra, click_id, email: `${zebra}@mail.example` });
  const renewal = (transaction_id: string, amount_cents: number) => ({
    ...{ transaction_id, amount_cents, customer_key: zebra, subscription_id: "sub_1" },
    sale_type: "subscription",
  });
  const first = { ...renewal(`${zebra}-first`, 10_000), click_id, line_items: [{ name: `${zebra} hat` }] };
  const sold = await shop.sale(first);
  const owner = (to: string, body = {}) => people.owner.post(`${program}/${to}`, body);
  return { ...shop, zebra, renewal, first, sold, owner, payouts: [] as number[] };
}

const payout = ({ payouts }: Shop): number => payouts.at(-1) ?? 0;

async function draft(shop: Shop) {
  const created = await shop.create();
  shop.payouts.push(created.body.data.id);
  return created;
}

/** Steps that change the customer's commissions, from the first sale on, each with its expected status. */
const steps: readonly [string, number, (shop: Shop) => Promise<Pick<Reply<unknown>, "status" | "text">>][] = [
  ["a hold", 200, ({ owner, sold }) => owner(`commissions/${sold.commission_id}/hold`, { reason: "odd" })],
  ["its release", 200, ({ owner, sold }) => owner(`commissions/${sold.commission_id}/release`)],
  ["a renewal", 200, ({ sell, renewal }) => sell(renewal("second", 5_000))],
  ["a draft", 201, draft],
  ["its finalization", 200, (shop) => shop.finalize(payout(shop))],
  ["a partial refund", 200, ({ giveBack, first }) => giveBack(first.transaction_id, { refund_amount_cents: 4_000 })],
  ["a later renewal", 200, ({ sell, renewal }) => sell(renewal("third", 10_000))],
  ["the payment", 200, (shop) => shop.confirm(payout(shop))],
  ["the first sale again", 409, ({ sell, first }) => sell(first)],
  ["a second draft", 201, draft],
  ["its payment", 200, (shop) => shop.confirm(payout(shop))],
  ["a payment that came back", 200, (shop) => shop.fail(payout(shop), shop.alice.id)],
  ["a whole refund", 200, ({ giveBack }) => giveBack("third")],
  ["the refund again", 200, ({ giveBack }) => giveBack("third")],
];

/** The amounts after all steps, if the customer is erased before the given step. */
async function booksWith(erasedBefore: number | undefined) {
  const shop = await open();
  for (const [at, [name, status, take]] of steps.entries()) {
    if (at === erasedBefore) {
      const erased = await shop.owner("privacy/erase", { customerKey: shop.zebra, confirm: true });
      expect(erased.status, erased.text).toBe(200);
    }
    const reply = await take(shop);
    expect([name, reply.status, reply.text]).toEqual([name, status, reply.text]);
  }
  if (erasedBefore !== undefined) {
    expect(await rowsNaming(shop.world, shop.zebra)).toEqual([]);
    const feed = await people.owner.get(`/api/programs/${shop.world.programId}/feed`);
    expect(feed.status, feed.text).toBe(200);
    expect(feed.text).toContain("sale.recorded");
    expect(feed.text).not.toContain(shop.zebra);
  }
  const lines = (await Promise.all(shop.payouts.map((id) => shop.get(id)))).flatMap(({ lines }) => lines);
  const entries = await shop.all("ledger_entries");
  return {
    balances: (await shop.balances()).map(({ pending_cents, payable_cents, in_payout_cents, paid_cents }) => [
      ...[pending_cents, payable_cents, in_payout_cents, paid_cents],
    ]),
    lines: lines.map(({ amountCents, commissions, broughtForwardCents }) => [
      ...[amountCents, commissions, broughtForwardCents],
    ]),
    entries: entries.map(({ kind, amount_cents, day }) => [kind, amount_cents, day]),
  };
}

let usual: ReturnType<typeof booksWith> | undefined;

describe("erasing a customer between two steps", () => {
  const places = sampled([7, 5, 1, 11, 0, 2, 3, 4, 6, 8, 9, 10, 12, 13], 3);
  test.each(places.map((at) => [`${steps[at - 1]?.[0] ?? "nothing"} and ${steps[at]?.[0]}`, at] as const))(
    "erasing a customer doesn't change the final amounts, whenever it happens: between %s",
    async (_, at) => {
      usual ??= booksWith(undefined);
      expect(await booksWith(at)).toEqual(await usual);
    },
  );
});

describe("an imported customer who was erased", () => {
  test("renewals of an imported customer who was erased still earn for the partner, and importing the customer's row again is refused", async () => {
    const { run, ...shop } = await customersShop(people, { policies: [{ rateBps: 2_000 }] });
    const key = `zebra${shop.world.programId}`;
    const row = { customer_key: key, subscription_id: "sub_9", first_sale_at: at(daysAgo(30)) };
    expect(told(await run([row]))).toEqual(["created"]);
    const path = `/api/programs/${shop.world.programId}/privacy/erase`;
    expect((await people.owner.post(path, { customerKey: key, confirm: true })).status).toBe(200);
    expect(await rowsNaming(shop.world, key)).toEqual([]);
    const renewal = { amount_cents: 4_900, customer_key: key, subscription_id: "sub_9" };
    const earned = { source: "import", partner_code: shop.alice.code, commission: { amount_cents: 980 } };
    expect(await shop.sale({ transaction_id: "renewal", ...renewal })).toMatchObject(earned);
    expect(await rowsNaming(shop.world, key)).toEqual([]);
    expect(told(await run([row]))).toEqual(["refused erased customer_key"]);
    expect(await shop.sale({ transaction_id: "later", ...renewal })).toMatchObject(earned);
    expect(await rowsNaming(shop.world, key)).toEqual([]);
  });
});
