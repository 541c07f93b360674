import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../harness/client.ts";
import { correctionFixture } from "../support/correction-fixture.ts";
import { explained } from "../support/explain.ts";
import { at, day, daysAgo, inTestMode } from "../support/program-fixture.ts";
import type { SalesFixture } from "../support/sales-fixture.ts";
import { invalidFields, refusalOf, usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile();
const { open, path, correct } = correctionFixture(people);

const counts = async ({ row, world }: SalesFixture) =>
  row(
    `select (select count(*) from sales where program_id = ?1) as sales, (select count(*) from refunds where program_id = ?1) as refunds,
       (select count(*) from audit_entries where program_id = ?1) as entries`,
    world.programId,
  );

describe("a correction of a sale", () => {
  test("a correction refunds what remains of the sale and records the sale again, by the policy in force when the sale occurred", async () => {
    const { shop, sale } = await open();
    const { status, body } = await correct(shop, sale.sale_id, { amountCents: 4_900 });
    expect(status).toBe(200);
    expect(body.data.before).toMatchObject({
      saleId: sale.sale_id,
      transactionId: "t",
      customerKey: "c1",
      amountCents: 49_000,
      partnerCode: shop.alice.code,
      commission: { id: sale.commission_id, status: "pending", amountCents: 9_800 },
    });
    expect(body.data.after).toMatchObject({
      saleId: expect.any(Number),
      transactionId: "t~1",
      customerKey: "c1",
      amountCents: 4_900,
      refundedCents: 0,
      occurredAt: new Date(daysAgo(2)).toISOString(),
      partnerCode: shop.alice.code,
      commission: { status: "pending", amountCents: 980, holdUntil: sale.commission.hold_until },
    });
    expect(await shop.entries(sale.commission_id)).toEqual([
      ["earned", 9_800],
      ["reversed", -9_800],
    ]);
    const refund = await shop.row("select refund_id, asked, reason from refunds where sale_id = ?", sale.sale_id);
    expect({ ...refund }).toMatchObject({ refund_id: "correction-1", asked: "rest", reason: null });
    const entry = await shop.row("select * from audit_entries where program_id = ?", shop.world.programId);
    expect(entry).toMatchObject({ action: "sale.corrected", subject: `sale ${sale.sale_id}` });
    expect(JSON.parse(String(entry.before))).toMatchObject({ amountCents: 49_000, commissionCents: 9_800 });
    expect(JSON.parse(String(entry.after))).toMatchObject({ amountCents: 4_900, commissionCents: 980 });
  });

  test("a correction of a sale returns the same as a dry run, and the dry run records nothing", async () => {
    const { shop, sale } = await open();
    const before = await counts(shop);
    const preview = await correct(shop, sale.sale_id, { amountCents: 4_900, dryRun: true });
    expect(preview.body.data.after).toMatchObject({
      saleId: null,
      transactionId: "t~1",
      commission: { id: null, amountCents: 980 },
    });
    expect(await counts(shop)).toEqual(before);
    const { after } = (await correct(shop, sale.sale_id, { amountCents: 4_900 })).body.data;
    const { data } = preview.body;
    expect({ ...after, saleId: null, commission: { ...after.commission, id: null } }).toEqual(data.after);
  });

  test("a correction of a sale is applied once even if sent several times, and a further correction must refer to the newest version", async () => {
    const { shop, sale } = await open();
    const replies = await Promise.all([1, 2, 3].map(() => correct(shop, sale.sale_id, { amountCents: 4_900 })));
    const [first] = replies;
    const newest = first?.body.data.after.saleId ?? 0;
    for (const { status, body } of replies) {
      expect([status, body.data.after]).toEqual([200, first?.body.data.after]);
    }
    expect(await counts(shop)).toMatchObject({ sales: 2, refunds: 1, entries: 1 });
    const other = await correct(shop, sale.sale_id, { amountCents: 5_000 });
    expect([other.status, other.body]).toMatchObject([
      409,
      { error: { details: { code: "already_corrected", saleId: newest, transactionId: "t~1" } } },
    ]);
    const again = await correct(shop, newest, { amountCents: 5_000 });
    expect(again.body.data.after).toMatchObject({ transactionId: "t~2", amountCents: 5_000 });
    const back = await correct(shop, again.body.data.after.saleId ?? 0, { amountCents: 49_000 });
    expect(back.body.data.after).toMatchObject({ transactionId: "t~3", commission: { amountCents: 9_800 } });
  });

  test("a correction of a sale can change customer, time and currency", async () => {
    const { shop, sale } = await open();
    await shop.refer("c2", { partner: shop.bob, clickAt: daysAgo(10) });
    const occurredAt = new Date(daysAgo(4)).toISOString();
    const { data } = (await correct(shop, sale.sale_id, { customerKey: "c2", occurredAt, currency: "usd" })).body;
    expect(data.after).toMatchObject({
      customerKey: "c2",
      amountCents: 49_000,
      currency: "USD",
      occurredAt,
      partnerCode: shop.bob.code,
      commission: { amountCents: 9_800, currency: "USD" },
    });
    const stranger = await correct(shop, data.after.saleId ?? 0, { customerKey: "nobody's" });
    expect(stranger.body.data.after).toMatchObject({
      partnerCode: null,
      commission: { status: "void", reason: "customer_not_found" },
    });
  });

  test("a correction of a sale's customer also applies to later renewals of the subscription", async () => {
    const { shop } = await open();
    await shop.refer("c2", { partner: shop.bob, clickAt: daysAgo(9) });
    const { body } = await shop.sell({ subscription_id: "s", occurred_at: at(daysAgo(2)) });
    await correct(shop, body.sale_id, { customerKey: "c2", occurredAt: at(daysAgo(4)) });
    const renewal = await shop.sell({ customer_key: undefined, subscription_id: "s", is_recurring: true });
    expect(renewal.body.partner_code).toBe(shop.bob.code);
  });

  test("a correction of a sale keeps a customer who has no customer_key", async () => {
    const { shop } = await open();
    const { body } = await shop.sell({ customer_key: undefined, click_id: shop.click(shop.bob), amount_cents: 1_000 });
    const { data } = (await correct(shop, body.sale_id, { amountCents: 2_000 })).body;
    expect(data.after).toMatchObject({
      customerKey: null,
      partnerCode: shop.bob.code,
      commission: { amountCents: 400 },
    });
  });

  test.each(["pending", "approved"])("a correction moves a %s one_time commission to the new sale", async (status) => {
    const { shop, sale } = await open({
      policies: [{ scope: "one_time", holdDays: status === "pending" ? 15 : 0 }],
    });
    expect(sale.commission.status).toBe(status);
    const { data } = (await correct(shop, sale.sale_id, { amountCents: 4_900 })).body;
    expect(data.after).toMatchObject({ commission: { status, amountCents: 980 } });
    const next = await shop.sell({ transaction_id: "next" });
    expect(next.body.commission).toMatchObject({ status: "void" });
  });

  test("after a correction of an unattributed sale, a later lead attributes the corrected sale, and not the original one", async () => {
    const { shop } = await open();
    const { body } = await shop.sell({ customer_key: "late", occurred_at: new Date(daysAgo(1)).toISOString() });
    const { data } = (await correct(shop, body.sale_id, { amountCents: 500 })).body;
    expect(data.after).toMatchObject({ commission: { status: "void" } });
    await shop.refer("late", { clickAt: daysAgo(3) });
    expect(await shop.entries(data.after.commission.id ?? 0)).toEqual([["earned", 100]]);
    expect(await shop.entries(body.commission_id)).toEqual([]);
    expect(await shop.commission(body.commission_id)).toMatchObject({ status: "void", partner_id: null });
  });

  test("a sale recorded as before the click is attributed once a correction moves its time to after the click", async () => {
    const { shop } = await open();
    await shop.refer("c9", { clickAt: daysAgo(3) });
    const { body } = await shop.sell({ customer_key: "c9", occurred_at: new Date(daysAgo(4)).toISOString() });
    expect(body.commission.status).toBe("void");
    const occurredAt = new Date(daysAgo(1)).toISOString();
    const { data } = (await correct(shop, body.sale_id, { occurredAt })).body;
    expect(data.after).toMatchObject({ partnerCode: shop.alice.code, commission: { status: "pending" } });
  });

  test("a correction of a customer's first sale to a later time restarts the months of a recurring policy", async () => {
    const { shop } = await open({ policies: [{ scope: "recurring", durationMonths: 1 }] });
    await shop.refer("c9", { clickAt: daysAgo(100) });
    const { body } = await shop.sell({ customer_key: "c9", occurred_at: at(daysAgo(95)) });
    const late = (await shop.sell({ customer_key: "c9", occurred_at: at(daysAgo(3)) })).body;
    expect(late.commission).toMatchObject({ reason: "commission_duration_over" });
    const { data } = (await correct(shop, body.sale_id, { occurredAt: at(daysAgo(2)) })).body;
    expect(data.after.commission).toMatchObject({ status: "pending" });
  });

  test("after a correction of a sale's customer, the former customer counts as new, so that a later click attributes that customer's next sale", async () => {
    const { shop } = await open();
    const { body } = await shop.sell({ customer_key: "c9", occurred_at: at(daysAgo(3)) });
    await correct(shop, body.sale_id, { customerKey: "c8" });
    await shop.refer("c9", { clickAt: daysAgo(1) });
    expect((await shop.sell({ customer_key: "c9" })).body.attributed).toBe(true);
  });

  test.each(["typo", undefined])(
    "a correction of a sale's customer keeps the click that was sent with the sale: customer_key before the correction %s",
    async (customer_key) => {
      const { shop } = await open();
      const { body } = await shop.sell({ customer_key, click_id: shop.click(shop.bob) });
      expect(body.partner_code).toBe(shop.bob.code);
      const { data } = (await correct(shop, body.sale_id, { customerKey: "right" })).body;
      expect(data.after).toMatchObject({ customerKey: "right", partnerCode: shop.bob.code });
    },
  );

  test("a sale that a correction replaced stays with its partner when the customer moves to another partner", async () => {
    const { shop } = await open();
    const { alice, bob } = shop;
    await shop.browserLead({ program_id: shop.world.programId, customer_key: "c7", click_id: shop.click(alice) });
    const occurred_at = at(daysAgo(0));
    const { body } = await shop.sell({ customer_key: "c7", transaction_id: "m", amount_cents: 49_000, occurred_at });
    await shop.giveBack("m", { refund_id: "r1", refund_amount_cents: 1_000 });
    const { data } = (await correct(shop, body.sale_id, { amountCents: 5_000 })).body;
    expect(data.after).toMatchObject({ partnerCode: alice.code, commission: { amountCents: 800 } });
    const booked = async () => (await shop.booked()).map(([partner, kind, cents]) => [partner, kind, cents]);
    const before = await booked();
    await shop.refer("c7", { partner: bob, clickAt: daysAgo(0, -60_000) });
    expect((await booked()).slice(before.length)).toEqual([
      ["alice", "moved", -800],
      ["bob", "moved", 800],
    ]);
    const partnersOf = async (table: string) =>
      (await shop.world.rows(`select partner_id from ${table} where sale_id = ?`, body.sale_id)).map(
        ({ partner_id }) => partner_id,
      );
    expect(await shop.saleRow("m")).toMatchObject({ partner_id: alice.id, refunded_cents: 49_000 });
    expect(await partnersOf("refunds")).toEqual([alice.id, alice.id]);
    expect(await partnersOf("commissions")).toEqual([alice.id]);
    expect(await shop.saleRow("m~1")).toMatchObject({ partner_id: bob.id, refunded_cents: 1_000 });
  });

  test("a commission of a sale that a correction replaced stays unconfirmed when the customer is confirmed", async () => {
    const { shop } = await open();
    const click_id = shop.click(shop.alice);
    await shop.browserLead({ program_id: shop.world.programId, customer_key: "c7", click_id });
    const { body } = await shop.sell({ customer_key: "c7", transaction_id: "m", occurred_at: at(daysAgo(0)) });
    const { data } = (await correct(shop, body.sale_id, { amountCents: 5_000 })).body;
    await shop.lead({ customer_key: "c7", click_id });
    expect(await shop.commission(body.commission_id)).toMatchObject({ status: "reversed", is_unconfirmed: 1 });
    expect(await shop.commission(data.after.commission.id ?? 0)).toMatchObject({
      status: "pending",
      is_unconfirmed: 0,
    });
  });

  test("the explanation of a sale that a correction replaced lists nothing as missing", async () => {
    const { shop } = await open();
    const { body } = await shop.sell({ customer_key: "late", occurred_at: at(daysAgo(1)) });
    const after = (await correct(shop, body.sale_id, { amountCents: 500 })).body.data.after;
    const missing = async (sale_id: number) => (await explained(shop, { sale_id })).missing;
    expect(await missing(body.sale_id)).toEqual([]);
    expect(await missing(after.saleId ?? 0)).toMatchObject([{ code: "no_click" }]);
  });

  test("a correction of a sale returns the same sale if repeated after its customer received a customer key", async () => {
    const { shop } = await open();
    const click_id = shop.click(shop.bob);
    const { body } = await shop.sell({ customer_key: undefined, click_id, amount_cents: 1_000 });
    const first = (await correct(shop, body.sale_id, { amountCents: 2_000 })).body.data.after;
    await shop.lead({ customer_key: "c6", click_id });
    const again = await correct(shop, body.sale_id, { amountCents: 2_000 });
    expect([again.status, again.body.data?.after.saleId]).toEqual([200, first.saleId]);
  });

  test("a correction of a renewal's time keeps its customer, even if the call names the customer", async () => {
    const { shop } = await open();
    await shop.sell({ subscription_id: "s", occurred_at: at(daysAgo(3)) });
    const renewal = { customer_key: undefined, subscription_id: "s", is_recurring: true };
    const { body } = await shop.sell({ ...renewal, occurred_at: at(daysAgo(1)) });
    const named = { occurredAt: at(daysAgo(0.5)), customerKey: "c1" };
    const preview = await correct(shop, body.sale_id, { ...named, dryRun: true });
    const { data } = (await correct(shop, body.sale_id, named)).body;
    expect([preview.body.data.after.partnerCode, data.after.partnerCode]).toEqual([shop.alice.code, shop.alice.code]);
  });

  test("a correction of a sale's amount keeps the times of the customer's first sales", async () => {
    const { shop, sale } = await open();
    await shop.sell({ transaction_id: "later", occurred_at: at(daysAgo(1)) });
    const firstSales = () =>
      shop.row(
        "select first_sale_at, first_attributed_sale_at from customers where customer_key = 'c1' and program_id = ?",
        shop.world.programId,
      );
    const before = await firstSales();
    const { data } = (await correct(shop, sale.sale_id, { amountCents: 4_900 })).body;
    expect(data.after).toMatchObject({ partnerCode: shop.alice.code, commission: { status: "pending" } });
    expect(await firstSales()).toEqual(before);
  });
});

describe("a correction of a sale that is refused", () => {
  test("a correction of a sale is refused if it changes nothing, or if the program has no such live sale", async () => {
    const { shop, sale } = await open();
    expect(refusalOf(await correct(shop, sale.sale_id, {}))).toBe("409 The correction changes nothing");
    expect(refusalOf(await correct(shop, sale.sale_id, { amountCents: 49_000, customerKey: "c1" }))).toMatch(/^409/);
    const other = await open();
    const tested = (await shop.sell({ ...inTestMode })).body.sale_id;
    for (const id of [other.sale.sale_id, tested, "x", 2 ** 50]) {
      expect(refusalOf(await correct(shop, id, { amountCents: 1 }))).toBe("404 Sale not found");
    }
  });

  test("a correction of a sale is refused if the sale's commission was rejected", async () => {
    const { shop, sale } = await open();
    const commission = `/api/programs/${shop.world.programId}/commissions/${sale.commission_id}`;
    await people.admin.post(`${commission}/reject`, { reason: "fraud" });
    expect(refusalOf(await correct(shop, sale.sale_id, { amountCents: 48_999 }))).toBe(
      "409 A sale with a rejected commission can't be corrected",
    );
    expect(await counts(shop)).toMatchObject({ sales: 1, refunds: 0 });
  });

  test("a correction of a sale is refused if the new transaction id is too long for the id of its refund", async () => {
    const { shop } = await open();
    const { body } = await shop.sell({ transaction_id: "x".repeat(254) });
    expect(refusalOf(await correct(shop, body.sale_id, { amountCents: 4_900 }))).toBe(
      "409 The sale's transaction id is too long to be corrected",
    );
    const longest = (await shop.sell({ transaction_id: "x".repeat(253) })).body;
    const { data } = (await correct(shop, longest.sale_id, { amountCents: 4_900 })).body;
    expect((await shop.giveBack(data.after.transactionId, { refund_id: "r" })).status).toBe(200);
  });

  test("a correction of a sale is refused if the new transaction id or refund id is taken", async () => {
    const { shop, sale } = await open();
    await shop.giveBack("t", { refund_id: "correction-1", refund_amount_cents: 1 });
    expect(refusalOf(await correct(shop, sale.sale_id, { amountCents: 4_900 }))).toMatch(/^409 Another record/);
    const next = (await shop.sell({ transaction_id: "u" })).body;
    await shop.sell({ transaction_id: "u~1" });
    expect(refusalOf(await correct(shop, next.sale_id, { amountCents: 4_900 }))).toMatch(/^409 Another record/);
    expect(await counts(shop)).toMatchObject({ sales: 3, refunds: 1 });
  });

  test.each<[JsonObject, string]>([
    [{ reason: " " }, "reason"],
    [{ amountCents: 0 }, "amountCents"],
    [{ currency: "EURO" }, "currency"],
    [{ customerKey: "" }, "customerKey"],
    [{ occurredAt: "yesterday" }, "occurredAt"],
    [{ occurredAt: new Date(Date.now() + day).toISOString() }, "occurredAt"],
    [{ occurredAt: new Date(Date.now() - 401 * day).toISOString() }, "occurredAt"],
  ])("a correction of a sale is refused with the body %j", async (body, field) => {
    const { shop, sale } = await open();
    const reply = await correct(shop, sale.sale_id, body);
    expect([reply.status, invalidFields(reply)]).toEqual([400, [field]]);
  });

  test("a viewer can't correct a sale", async () => {
    const { shop, sale } = await open();
    expect(refusalOf(await people.viewer.post(path(shop, sale.sale_id), { amountCents: 1, reason: "r" }))).toMatch(
      /^403/,
    );
  });
});
