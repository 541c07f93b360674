import { describe, expect, it } from "vitest";
import { askExplain, explained, messageOf } from "../support/explain.ts";
import { at, daysAgo, programFixture } from "../support/program-fixture.ts";
import { type SalesFixture, salesFixture } from "../support/sales-fixture.ts";
import { sharedApi } from "../support/shared-service.ts";
import { usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile();

describe("the explanation of a commission that a member decided", () => {
  it("the explanation of a commission names the member who approved it, and no member if it was approved automatically", async () => {
    const world = await people.world({ partners: [{}, {}] });
    const shop = salesFixture(programFixture(world, sharedApi()));
    await shop.refer("c1", { clickAt: daysAgo(31) });
    const { body: held } = await shop.sell();
    const { body: ended } = await shop.sell({ occurred_at: at(daysAgo(30)) });
    const path = `/api/programs/${world.programId}/commissions/${held.commission_id}/approve`;
    expect((await people.admin.post(path)).status).toBe(200);
    const approved = await explained(shop, { sale_id: held.sale_id });
    expect(approved.commission?.decision).toEqual({
      ...{ status: "approved", at: expect.any(String), by: { type: "member", name: "admin" }, reason: null },
    });
    expect(approved.verdict.message).toMatch(/; it was approved by admin on \d+ \w+ \d{4} and can be paid out\.$/);
    const { verdict, commission } = await explained(shop, { sale_id: ended.sale_id });
    expect(verdict.message).toMatch(/; it was approved and can be paid out\.$/);
    expect(commission?.decision).toBeNull();
  });

  it("the explanation of a commission names the member who rejected it", async () => {
    const world = await people.world({ partners: [{}, {}] });
    const shop = salesFixture(programFixture(world, sharedApi()));
    await shop.refer("c1");
    const { body: sale } = await shop.sell();
    const path = `/api/programs/${world.programId}/commissions/${sale.commission_id}/reject`;
    expect((await people.admin.post(path, { reason: "self-referral" })).status).toBe(200);
    const { verdict, commission } = await explained(shop, { sale_id: sale.sale_id });
    expect(verdict).toMatchObject({ status: "rejected", commission_cents: 0 });
    expect(verdict.message).toMatch(/ on this sale was rejected by admin on \d+ \w+ \d{4}: "self-referral"\.$/);
    const decision = { status: "rejected", at: expect.any(String), by: { type: "member", name: "admin" } };
    expect(commission?.decision).toEqual({ ...decision, reason: "self-referral" });
    expect(commission?.calculation.at(-1)).toEqual({
      step: "rejected",
      text: '€2.00 rejected by admin: "self-referral"',
      cents: 0,
      currency: "EUR",
    });
    expect(commission?.entries.at(-1)).toMatchObject({
      stands_for: { type: "rejection" },
      by: { type: "member", name: "admin" },
    });
  });
});

describe("the ledger entry of a commission earned after its sale was recorded", () => {
  const authors = async (shop: SalesFixture, sale_id: number) => {
    const { commission } = await explained(shop, { sale_id });
    return commission?.entries.map(({ kind, by }) => [kind, by]);
  };
  const openShop = async () => salesFixture(programFixture(await people.world({ partners: [{}, {}] }), sharedApi()));

  it("the ledger entry of an earlier sale's commission names the member who assigned the customer, and that of a later sale doesn't", async () => {
    const shop = await openShop();
    const { programId } = shop.world;
    const earlier = await shop.sale({ transaction_id: "t1", customer_key: "c", occurred_at: at(daysAgo(2)) });
    const path = `/api/programs/${programId}/customers/assign`;
    const assigned = {
      customerKey: "c",
      partnerId: shop.alice.id,
      since: at(daysAgo(3)),
      payPast: true,
      reason: "By phone",
    };
    expect((await people.owner.post(path, assigned)).status).toBe(200);
    const later = await shop.sale({ transaction_id: "t2", customer_key: "c" });
    expect(await authors(shop, earlier.sale_id)).toEqual([["earned", { type: "member", name: "owner" }]]);
    expect(await authors(shop, later.sale_id)).toEqual([["earned", { type: "api_key", name: null }]]);
  });

  it("the ledger entry of an earlier sale's commission names the member who imported the customer", async () => {
    const shop = await openShop();
    const { sale_id } = await shop.sale({ transaction_id: "t1", customer_key: "c1", occurred_at: at(daysAgo(2)) });
    const row = { customer_key: "c1", partner_code: shop.alice.code, since: at(daysAgo(3)), pay_past: "true" };
    const path = `/api/programs/${shop.world.programId}/imports/rows`;
    const body = { kind: "customers", source: "Former program", rows: [{ line: 1, ...row }] };
    expect((await people.owner.post(path, body)).status).toBe(200);
    expect(await authors(shop, sale_id)).toEqual([["earned", { type: "member", name: "owner" }]]);
  });
});

describe("a sale that was corrected twice", () => {
  it("the explanation of each version of a sale corrected twice has the previous and next version, and a refund is found by the id of each version", async () => {
    const shop = salesFixture(programFixture(await people.world({ partners: [{}, {}] }), sharedApi()));
    await shop.refer("c1");
    const { body: first } = await shop.sell({ transaction_id: "t", amount_cents: 9_000 });
    await shop.giveBack("t", { refund_id: "early", refund_amount_cents: 100 });
    const correct = async (saleId: number, amountCents: number) => {
      const path = `/api/programs/${shop.world.programId}/sales/${saleId}/correct`;
      const call = { amountCents, reason: "wrong" };
      return (await people.admin.post<{ data: { after: { saleId: number } } }>(path, call)).body.data.after.saleId;
    };
    const second = await correct(first.sale_id, 8_000);
    const third = await correct(second, 7_000);
    await shop.giveBack("t", { refund_id: "late", refund_amount_cents: 200 });

    const links = async (saleId: number) => {
      const { corrects, corrected_by } = await explained(shop, { sale_id: saleId });
      return [corrects, corrected_by];
    };
    const [t, t1, t2] = [first.sale_id, second, third].map((sale_id, i) => ({
      sale_id,
      transaction_id: i === 0 ? "t" : `t~${i}`,
    }));
    expect(await links(first.sale_id)).toEqual([null, t1]);
    expect(await links(second)).toEqual([t, t2]);
    expect(await links(third)).toEqual([t1, null]);

    const saleOf = async (transaction_id: string, refund_id: string) => {
      const { subject, events } = await explained(shop, { transaction_id, refund_id });
      expect(subject).toEqual({ type: "refund", id: refund_id });
      return events.find(({ type }) => type === "sale")?.id;
    };
    for (const id of ["t", "t~1", "t~2"]) {
      expect(await saleOf(id, "late")).toBe(third);
      expect(await saleOf(id, "correction-1")).toBe(first.sale_id);
      expect(await saleOf(id, "correction-2")).toBe(second);
    }
    expect(await saleOf("t", "early")).toBe(first.sale_id);
    expect(await saleOf("t~2", "early")).toBe(third);
    const unknown = await askExplain(shop.api, { transaction_id: "t", refund_id: "none" }, { key: shop.world.key });
    expect(messageOf(unknown)).toBe("404 No refund of this sale has this refund_id.");
  });
});
