import { describe, expect, it } from "vitest";
import type { PartnerSettings, WorldSettings } from "../../harness/world.ts";
import { at, day, daysAgo } from "../support/program-fixture.ts";
import { createSalesFixture, type SalesFixture } from "../support/sales-fixture.ts";
import { usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile();
const dayOf = (daysBefore: number) => at(daysAgo(daysBefore)).slice(0, 10);
const { a, b } = { a: "alice", b: "bob" } as const;

const paidBy = (policy: NonNullable<PartnerSettings["policies"]>[number]): PartnerSettings => ({ policies: [policy] });
const tooLittle = paidBy({ minSaleCents: 1_001, currency: "EUR" });

/** Records a sale of 10.00, five days ago, attributed to Bob by a browser's lead. */
async function soldByBob(settings: WorldSettings = {}) {
  const shop = await createSalesFixture({ members: people.members(), ...settings });
  await shop.browserLead({ customer_key: "c1", click_id: shop.click(shop.bob, daysAgo(9)) });
  const { body } = await shop.sell({ transaction_id: "t", occurred_at: at(daysAgo(5)) });
  expect(body).toMatchObject({ partner_code: shop.bob.code, commission: { unconfirmed: true } });
  return { shop, sale: body };
}

const showAlices = (shop: SalesFixture) =>
  shop.lead({ customer_key: "c1", click_id: shop.click(shop.alice, daysAgo(8)) });
const decide = (shop: SalesFixture, commissionId: number, verb: "approve" | "reject") =>
  people.admin.post(
    `/api/programs/${shop.world.programId}/commissions/${commissionId}/${verb}`,
    verb === "reject" ? { reason: "self-referral" } : {},
  );
const balances = async ({ booked }: SalesFixture) => {
  const entries = await booked();
  const of = (partner: string) => entries.reduce((sum, [who, , cents]) => sum + (who === partner ? cents : 0), 0);
  return { alice: of(a), bob: of(b) };
};

describe("a sale that moves to another partner", () => {
  it("a sale that moves to another partner uses that partner's policy and hold at the time of the sale, and its explanation shows the move", async () => {
    const policies = [
      { rateBps: 1_000, holdDays: 3 },
      { rateBps: 5_000, holdDays: 30, effectiveFrom: daysAgo(4) },
    ];
    const { shop, sale } = await soldByBob({ partners: [{ policies }, paidBy({ rateBps: 2_000, holdDays: 15 })] });
    await showAlices(shop);
    const { explanation, ...commission } = await shop.commission(sale.commission_id);
    expect(commission).toMatchObject({
      partner_id: shop.alice.id,
      status: "approved",
      initial_cents: 100,
      amount_cents: 100,
      hold_until: daysAgo(5) + 3 * day,
    });
    expect(JSON.parse(String(explanation))).toMatchObject({
      partner: { id: shop.alice.id },
      evidence: "key",
      policy: { rateBps: 1_000 },
      movedFrom: { partnerId: shop.bob.id, amountCents: 200 },
    });
    expect(await shop.booked()).toEqual([
      [b, "earned", 200, dayOf(5)],
      [b, "moved", -200, dayOf(5)],
      [a, "moved", 100, dayOf(5)],
    ]);
  });

  it("refunds before and after a sale moves to another partner are deducted from the new partner's commission", async () => {
    const { shop, sale } = await soldByBob({ partners: [{}, paidBy({ rateBps: 1_000 })] });
    await shop.refund({ transaction_id: "t", refund_amount_cents: 500, occurred_at: at(daysAgo(3)) });
    await showAlices(shop);
    expect(await shop.commission(sale.commission_id)).toMatchObject({ initial_cents: 200, amount_cents: 100 });
    expect(await shop.all("refunds")).toMatchObject([{ partner_id: shop.alice.id, refunded_cents: 500 }]);

    const after = await shop.refund({ transaction_id: "t" });
    expect(after).toMatchObject({ status: "reversed", commission_reversed_cents: 100, commission_amount_cents: 0 });
    expect(await shop.booked()).toEqual([
      [b, "earned", 100, dayOf(5)],
      [b, "reversed", -50, dayOf(3)],
      [b, "moved", -50, dayOf(5)],
      [a, "moved", 100, dayOf(5)],
      [a, "reversed", -100, dayOf(0)],
    ]);
    expect(await balances(shop)).toEqual({ alice: 0, bob: 0 });
  });

  it("a fully refunded sale that moves to another partner earns nothing, and earns by the new partner's terms if the refund is canceled", async () => {
    const { shop, sale } = await soldByBob({ partners: [{}, paidBy({ rateBps: 1_000 })] });
    await shop.refund({ transaction_id: "t", refund_id: "r" });
    await showAlices(shop);
    const reversed = { partner_id: shop.alice.id, status: "reversed", amount_cents: 0 };
    expect(await shop.commission(sale.commission_id)).toMatchObject(reversed);
    expect(await balances(shop)).toEqual({ alice: 0, bob: 0 });

    const canceled = await shop.refund({ transaction_id: "t", refund_id: "r", cancel: true });
    expect(canceled).toMatchObject({ commission_reversed_cents: -200, commission_amount_cents: 200 });
    expect(await shop.commission(sale.commission_id)).toMatchObject({ status: "pending", amount_cents: 200 });
    expect(await balances(shop)).toEqual({ alice: 200, bob: 0 });
  });

  it("a sale that moves to another partner keeps canceled refunds canceled", async () => {
    const { shop } = await soldByBob();
    await shop.refund({ transaction_id: "t", refund_id: "r", refund_amount_cents: 500 });
    await shop.refund({ transaction_id: "t", refund_id: "r", cancel: true });
    await showAlices(shop);
    expect(await balances(shop)).toEqual({ alice: 200, bob: 0 });
  });

  it("a sale that earned nothing and moves to another partner earns by that partner's policy, with each refund deducted on the refund's own day", async () => {
    const { shop, sale } = await soldByBob({ partners: [{}, tooLittle] });
    expect(sale.commission).toMatchObject({ status: "void", reason: "below_minimum" });
    await shop.refund({ transaction_id: "t", refund_amount_cents: 250, occurred_at: at(daysAgo(3)) });
    await showAlices(shop);
    expect(await shop.commission(sale.commission_id)).toMatchObject({
      partner_id: shop.alice.id,
      status: "pending",
      reason: null,
      initial_cents: 200,
      amount_cents: 150,
    });
    expect(await shop.booked()).toEqual([
      [a, "earned", 200, dayOf(5)],
      [a, "reversed", -50, dayOf(3)],
    ]);
  });

  it("a sale that moves to another partner is void, with a reason, if it earns nothing by the new partner's policy", async () => {
    const { shop, sale } = await soldByBob({ partners: [tooLittle, {}] });
    await shop.refund({ transaction_id: "t", refund_amount_cents: 250, occurred_at: at(daysAgo(3)) });
    await showAlices(shop);
    const voided = { partner_id: shop.alice.id, status: "void", reason: "below_minimum", amount_cents: 0 };
    expect(await shop.commission(sale.commission_id)).toMatchObject(voided);
    expect(await shop.booked()).toEqual([
      [b, "earned", 200, dayOf(5)],
      [b, "reversed", -50, dayOf(3)],
      [b, "moved", -150, dayOf(5)],
    ]);
    expect(await shop.giveBack("t")).toMatchObject({ body: { status: "no_commission", refunded_cents: 750 } });
  });

  it("a sale that moves to another partner moves once, even if several concurrent calls with the program's key send that partner's click", async () => {
    const { shop } = await soldByBob();
    const bodies = await Promise.all(Array.from({ length: 12 }, () => showAlices(shop)));
    for (const { partner_code } of bodies) expect(partner_code).toBe(shop.alice.code);
    expect(bodies.filter(({ moved }) => moved)).toHaveLength(1);
    expect((await shop.booked()).map(([who, kind]) => `${who} ${kind}`)).toEqual([
      "bob earned",
      "bob moved",
      "alice moved",
    ]);
  });
});

describe("a one_time commission of a customer who moves", () => {
  const oneTime: WorldSettings = { policies: [{ scope: "one_time" }] };

  it("a one_time commission of a customer who moves is paid for the first moved sale that earns", async () => {
    const { shop, sale } = await soldByBob(oneTime);
    const { body: second } = await shop.sell({ occurred_at: at(daysAgo(4)) });
    expect(second).toMatchObject({ reason: "recurring_not_covered" });
    await showAlices(shop);
    expect(await shop.commission(sale.commission_id)).toMatchObject({ status: "pending", amount_cents: 200 });
    const uncovered = { partner_id: shop.alice.id, status: "void", reason: "recurring_not_covered" };
    expect(await shop.commission(second.commission_id)).toMatchObject(uncovered);
    expect((await shop.sell()).body).toMatchObject({ reason: "recurring_not_covered" });
  });

  it("a one_time commission of a customer who moves is paid for the sale whose call causes the move, if that sale is the earliest", async () => {
    const { shop, sale } = await soldByBob(oneTime);
    const click_id = shop.click(shop.alice, daysAgo(9));
    const { body: first } = await shop.sell({ customer_key: "c1", click_id, occurred_at: at(daysAgo(8)) });
    expect(first).toMatchObject({ partner_code: shop.alice.code, commission: { amount_cents: 200 } });
    const uncovered = { partner_id: shop.alice.id, status: "void", reason: "recurring_not_covered", amount_cents: 0 };
    expect(await shop.commission(sale.commission_id)).toMatchObject(uncovered);
    expect(await balances(shop)).toEqual({ alice: 200, bob: 0 });
  });

  it("a one_time commission of a customer who moves can be earned by the new partner if the old partner's commission was rejected", async () => {
    const { shop, sale } = await soldByBob(oneTime);
    await decide(shop, sale.commission_id, "reject");
    const { body: second } = await shop.sell({ occurred_at: at(daysAgo(4)) });
    expect(second).toMatchObject({ reason: "recurring_not_covered" });
    await showAlices(shop);
    expect(await shop.commission(sale.commission_id)).toMatchObject({ status: "rejected", partner_id: shop.bob.id });
    const hers = { partner_id: shop.alice.id, status: "pending", amount_cents: 200 };
    expect(await shop.commission(second.commission_id)).toMatchObject(hers);
  });

  it("a rejected one_time commission counts as used if a call with the program's key moves the customer back to the commission's partner", async () => {
    const { shop, sale } = await soldByBob(oneTime);
    await decide(shop, sale.commission_id, "reject");
    await showAlices(shop);
    const back = await shop.lead({ customer_key: "c1", click_id: shop.click(shop.bob, daysAgo(7)) });
    expect(back).toMatchObject({ partner_code: shop.bob.code });
    expect((await shop.sell()).body).toMatchObject({ partner_code: shop.bob.code, reason: "recurring_not_covered" });
    const rejected = { partner_id: shop.bob.id, status: "rejected", is_unconfirmed: 0 };
    expect(await shop.commission(sale.commission_id)).toMatchObject(rejected);
  });
});

describe("a member's decision on an unconfirmed commission", () => {
  it("a member's rejection of an unconfirmed commission stays in force: the commission keeps its partner while the other sales move", async () => {
    const { shop, sale } = await soldByBob();
    await decide(shop, sale.commission_id, "reject");
    const { body: second } = await shop.sell({ occurred_at: at(daysAgo(4)) });
    const before = await shop.commission(sale.commission_id);
    const { attributed_sales } = await showAlices(shop);
    expect(attributed_sales).toEqual([{ sale_id: second.sale_id, commission_id: second.commission_id }]);
    expect(await shop.commission(sale.commission_id)).toEqual(before);
    expect(await shop.saleRow("t")).toMatchObject({ partner_id: shop.bob.id });
    expect(await shop.commission(second.commission_id)).toMatchObject({ partner_id: shop.alice.id });
    expect(await balances(shop)).toEqual({ alice: 200, bob: 0 });
  });

  it("a member's approval of an unconfirmed commission confirms the customer and all of their commissions", async () => {
    const { shop, sale } = await soldByBob();
    const { body: ripe } = await shop.sell({ occurred_at: at(daysAgo(5)), transaction_id: "ripe" });
    await shop.forge(
      [
        "commissions whose hold ends at another time than their policy says",
        "commissions whose explanation doesn't match the stored rows",
      ],
      "update commissions set hold_until = ? where id = ?",
      daysAgo(1),
      ripe.commission_id,
    );
    const { body: young } = await shop.sell();
    expect((await decide(shop, young.commission_id, "approve")).status).toBe(200);
    const confirmed = { partner_id: shop.bob.id, is_unconfirmed: 0, amount_cents: 200 };
    const byPerson = { status: "approved", approved_by: "person", approved_at: expect.any(Number) };
    const byHold = { status: "approved", approved_by: "hold", approved_at: expect.any(Number) };
    expect(await shop.commission(young.commission_id)).toMatchObject({ ...confirmed, ...byPerson });
    expect(await shop.commission(ripe.commission_id)).toMatchObject({ ...confirmed, ...byHold });
    expect(await shop.commission(sale.commission_id)).toMatchObject({ ...confirmed, status: "pending" });

    expect(await showAlices(shop)).toMatchObject({ partner_code: shop.bob.code });
    expect((await shop.sell()).body).toMatchObject({ partner_code: shop.bob.code, commission: { unconfirmed: false } });
    expect(await shop.commission(sale.commission_id)).toMatchObject(confirmed);
  });
});
