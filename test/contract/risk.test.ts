import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../harness/client.ts";
import type { WorldSettings } from "../../harness/world.ts";
import { programFixture } from "../support/program-fixture.ts";
import { type SalesFixture, salesFixture } from "../support/sales-fixture.ts";
import { sharedApi } from "../support/shared-service.ts";
import { usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile();

interface Commission {
  readonly id: number;
  readonly status: string;
  readonly held: boolean;
  readonly heldSince: string | null;
  readonly reasons: readonly { readonly code: string; readonly text: string }[];
  readonly approvedAt: string | null;
}

const open = async (settings: WorldSettings = {}): Promise<SalesFixture> =>
  salesFixture(programFixture(await people.world({ partners: [{}, {}], ...settings }), sharedApi()));

const path = ({ world }: SalesFixture) => `/api/programs/${world.programId}`;
const read = async (shop: SalesFixture, id: number) =>
  (await people.viewer.get<{ data: Commission }>(`${path(shop)}/commissions/${id}`)).body.data;
const list = async (shop: SalesFixture, query: string) =>
  (await people.viewer.get<{ data: Commission[] }>(`${path(shop)}/commissions?${query}`)).body.data.map(({ id }) => id);
const act = (shop: SalesFixture, id: number, verb: string, body: JsonObject = {}) =>
  people.admin.post<{ data: Commission }>(`${path(shop)}/commissions/${id}/${verb}`, body);
const codeOf = async (reply: ReturnType<typeof act>) => (await reply).body.error.details.code;
const balance = (shop: SalesFixture) =>
  shop.row("select pending_cents, payable_cents from partner_balances where partner_id = ?", shop.alice.id);
const settings = { signals: { self_referral: "hold", duplicate_source: "hold", blocked_source: "hold" } };
const setRisk = (shop: SalesFixture, changes: JsonObject) =>
  people.admin.put(`${path(shop)}/risk`, { ...settings, blockedHosts: [], reviewDays: null, ...changes });
const sold = async (shop: SalesFixture, body: JsonObject = {}) => (await shop.sell(body)).body;
const reasonsOf = async (shop: SalesFixture, id: number) => (await read(shop, id)).reasons.map(({ code }) => code);

describe("a manual hold of a commission", () => {
  test("a manual hold of a commission reverts an automatic approval, and releasing the commission restores the approval", async () => {
    const shop = await open({ policies: [{ holdDays: 0 }] });
    await shop.refer("c1");
    const { commission_id: id } = await sold(shop);
    expect(await balance(shop)).toEqual({ pending_cents: 0, payable_cents: 200 });
    const held = await act(shop, id, "hold", { reason: "odd address" });
    expect(held.body.data).toMatchObject({
      ...{ status: "pending", held: true, heldSince: expect.any(String), approvedAt: null },
      reasons: [{ code: "by_hand", text: "odd address" }],
    });
    expect(await balance(shop)).toEqual({ pending_cents: 200, payable_cents: 0 });
    expect((await act(shop, id, "hold", { reason: "again" })).body.data.reasons).toHaveLength(1);
    expect(await list(shop, "held=true")).toEqual([id]);
    const released = await act(shop, id, "release", { note: "it is fine" });
    expect(released.body.data).toMatchObject({ status: "approved", held: false, heldSince: null, reasons: [] });
    expect(await balance(shop)).toEqual({ pending_cents: 0, payable_cents: 200 });
    expect((await act(shop, id, "release")).status).toBe(200);
    expect(await list(shop, "held=true")).toEqual([]);
  });

  test("a manual hold of a commission is refused if the commission is rejected or void, or was approved by a member", async () => {
    const shop = await open({ policies: [{ holdDays: 0 }] });
    await shop.refer("c1");
    const [rejected, stranger] = [await sold(shop), await sold(shop, { customer_key: "x" })];
    await act(shop, rejected.commission_id, "reject", { reason: "no" });
    for (const { commission_id } of [rejected, stranger]) {
      expect(await codeOf(act(shop, commission_id, "hold", { reason: "r" }))).toBe("not_open");
    }
    expect((await act(shop, rejected.commission_id, "release")).status).toBe(200);
    const { commission_id: held } = await sold(shop);
    await act(shop, held, "hold", { reason: "r" });
    expect((await act(shop, held, "approve")).body.data).toMatchObject({ status: "approved", held: false });
    expect(await codeOf(act(shop, held, "hold", { reason: "r" }))).toBe("approved_by_person");
    expect((await act(shop, held, "hold")).status).toBe(400);
  });

  test("a manual hold of several commissions in one call returns an outcome for each", async () => {
    const shop = await open();
    await shop.refer("c1");
    const [one, other] = [await sold(shop), await sold(shop, { customer_key: "stranger" })];
    const ids = [one.commission_id, other.commission_id];
    const held = await people.admin.post(`${path(shop)}/commissions/hold`, { ids, reason: "r" });
    expect(held.body).toMatchObject({
      data: [
        { id: ids[0], result: "held" },
        { id: ids[1], result: "refused", code: "not_open" },
      ],
    });
    const released = await people.admin.post(`${path(shop)}/commissions/release`, { ids });
    expect(released.body).toMatchObject({ data: [{ result: "released" }, { result: "unchanged" }] });
  });

  test("a manual hold of a commission stays in force after a canceled refund and a correction", async () => {
    const shop = await open({ policies: [{ holdDays: 0 }] });
    await shop.refer("c1");
    const { commission_id: id, sale_id } = await sold(shop, { transaction_id: "t1" });
    await act(shop, id, "hold", { reason: "r" });
    await shop.giveBack("t1", { refund_id: "r1" });
    await shop.giveBack("t1", { refund_id: "r1", cancel: true });
    expect(await read(shop, id)).toMatchObject({ status: "pending", held: true });
    const corrected = await people.admin.post(`${path(shop)}/sales/${sale_id}/correct`, {
      amountCents: 500,
      reason: "typo",
    });
    expect(corrected.status).toBe(200);
    const [newest] = await shop.world.rows(
      "select max(id) as id from commissions where program_id = ?",
      shop.world.programId,
    );
    expect(await read(shop, Number(newest?.id))).toMatchObject({ status: "pending", held: true });
  });
});

describe("a partner's own purchase", () => {
  const lead = (shop: SalesFixture, email: string, customer_key = "c1") =>
    shop.lead({ customer_key, email, click_id: shop.click(shop.alice) });
  const named = async (shop: SalesFixture, email: string) =>
    people.owner.patch(`${path(shop)}/partners/${shop.alice.id}`, { email });

  test("the commission for a partner's own purchase is held if the customer has the partner's email address, and isn't payable until released", async () => {
    const shop = await open({ policies: [{ holdDays: 0 }] });
    await named(shop, "Ada@Example.com");
    await lead(shop, "ada@example.com ");
    const { commission_id: id, commission } = await sold(shop);
    expect(commission).toMatchObject({ status: "pending", held: true });
    expect(await reasonsOf(shop, id)).toEqual(["self_referral"]);
    expect(await balance(shop)).toEqual({ pending_cents: 200, payable_cents: 0 });
    expect(await list(shop, "flag=self_referral")).toEqual([id]);
    await act(shop, id, "release");
    expect(await balance(shop)).toEqual({ pending_cents: 0, payable_cents: 200 });
  });

  test("the commission for a partner's own purchase is held even if the matching address arrives after the sale, by a lead or a change of the partner", async () => {
    const shop = await open({ policies: [{ holdDays: 0 }] });
    await shop.refer("c1");
    const { commission_id: id } = await sold(shop);
    expect(await read(shop, id)).toMatchObject({ status: "approved", held: false });
    await named(shop, "ada@example.com");
    await lead(shop, "ada@example.com");
    expect(await read(shop, id)).toMatchObject({ status: "pending", held: true, reasons: [{ code: "self_referral" }] });
    await lead(shop, "eve@example.com", "c2");
    const { commission_id: second } = await sold(shop, { customer_key: "c2" });
    expect(await read(shop, second)).toMatchObject({ held: false });
    await named(shop, "eve@example.com");
    expect(await read(shop, second)).toMatchObject({ status: "pending", held: true });
    expect(await balance(shop)).toEqual({ pending_cents: 400, payable_cents: 0 });
  });

  test("a partner's own purchase is only flagged if the partner is exempt, and not flagged if the signal self_referral is off", async () => {
    const shop = await open({ policies: [{ holdDays: 0 }] });
    await named(shop, "ada@example.com");
    await lead(shop, "ada@example.com");
    await people.admin.patch(`${path(shop)}/partners/${shop.alice.id}`, { riskExempt: true });
    const { commission_id: flagged } = await sold(shop);
    expect(await read(shop, flagged)).toMatchObject({ status: "approved", held: false });
    expect(await reasonsOf(shop, flagged)).toEqual(["self_referral"]);
    await setRisk(shop, { signals: { ...settings.signals, self_referral: "off", duplicate_source: "off" } });
    const { commission_id: quiet } = await sold(shop);
    expect(await reasonsOf(shop, quiet)).toEqual([]);
  });
});

describe("a payment sent by two systems", () => {
  test.each([
    ["in_1", "pi_1", true],
    ["pi_1", "in_1", true],
    ["order-1", "ch_1", true],
    ["order-1", "order-2", false],
    ["in_1", "in_2", false],
  ])("for a payment sent by two systems as %s and %s, the second sale is held: %s", async (first, second, held) => {
    const shop = await open({ policies: [{ holdDays: 0 }] });
    await shop.refer("c1");
    const one = await sold(shop, { transaction_id: first });
    const other = await sold(shop, { transaction_id: second });
    expect(await read(shop, one.commission_id)).toMatchObject({ held: false, reasons: [] });
    expect(await read(shop, other.commission_id)).toMatchObject({ held, reasons: [{ code: "duplicate_source" }] });
    const third = await sold(shop, { transaction_id: "ch_3", amount_cents: 999 });
    expect(await read(shop, third.commission_id)).toMatchObject({ held: false, reasons: [] });
  });

  test("a payment sent by two systems is also detected in parallel, and by the same email address of two customers", async () => {
    const shop = await open({ policies: [{ holdDays: 0 }] });
    for (const customer_key of ["c1", "c2"]) {
      await shop.lead({ customer_key, email: "buyer@example.com", click_id: shop.click(shop.alice) });
    }
    const both = await Promise.all(
      ["in_1", "pi_1"].map((transaction_id, i) => sold(shop, { transaction_id, customer_key: `c${i + 1}` })),
    );
    const held = await Promise.all(both.map(async ({ commission_id }) => (await read(shop, commission_id)).held));
    expect(held.filter(Boolean)).toHaveLength(1);
  });
});

test("a sale is held if its click came from a blocked host or its subdomain", async () => {
  const shop = await open({ policies: [{ holdDays: 0 }] });
  const put = await setRisk(shop, { blockedHosts: ["www.Coupons.example"], reviewDays: 30 });
  expect(put.body).toMatchObject({ data: { blockedHosts: ["coupons.example"], reviewDays: 30 } });
  const clicked = async (referrer_url: string) => (await shop.visit({ referrer_url })).click_id;
  const from = await clicked("https://best.coupons.example/deals");
  const { commission_id } = await sold(shop, { customer_key: "c1", click_id: from });
  expect(await read(shop, commission_id)).toMatchObject({ held: true, reasons: [{ code: "blocked_source" }] });
  const honest = await clicked("https://notcoupons.example/");
  const { commission_id: other } = await sold(shop, { customer_key: "c2", click_id: honest });
  expect(await read(shop, other)).toMatchObject({ held: false, reasons: [] });
});

test("risk settings are validated and audited, and only admins can change them", async () => {
  const shop = await open();
  const { body } = await people.viewer.get(`${path(shop)}/risk`);
  const signals = { ...settings.signals, many_sources: "flag" };
  expect(body).toEqual({ data: { signals, blockedHosts: [], reviewDays: null } });
  expect((await people.viewer.put(`${path(shop)}/risk`, {})).status).toBe(403);
  for (const wrong of [{ reviewDays: 0 }, { signals: { self_referral: "maybe" } }]) {
    expect((await setRisk(shop, wrong)).status).toBe(400);
  }
  for (const host of ["a b", "com", "*.coupons.example", ".coupons.example", "coupons..example", "www.."]) {
    expect([host, (await setRisk(shop, { blockedHosts: [host] })).status]).toEqual([host, 400]);
  }
  const put = await setRisk(shop, { blockedHosts: ["www.com", "coupons.example.."] });
  expect(put.body).toMatchObject({ data: { blockedHosts: ["coupons.example", "www.com"] } });
});
