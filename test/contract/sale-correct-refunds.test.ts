import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../harness/client.ts";
import { correctionFixture } from "../support/correction-fixture.ts";
import { at, daysAgo } from "../support/program-fixture.ts";
import type { SalesFixture } from "../support/sales-fixture.ts";
import { refusalOf, usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile();
const { open, correct } = correctionFixture(people);

const refused = (reply: { readonly status: number; readonly body: unknown }) =>
  [reply.status, (reply.body as { error?: { details?: unknown } }).error?.details] as const;
const refundsOf = (shop: SalesFixture, transactionId: string, columns: string) =>
  shop.world.rows(
    `select ${columns} from refunds r join sales s on s.id = r.sale_id
     where s.program_id = ? and s.transaction_id = ? order by r.id`,
    shop.world.programId,
    transactionId,
  );

describe("refunds of a corrected sale", () => {
  test("refunds made before a correction of the sale are kept, and are skipped if sent again", async () => {
    const { shop, sale } = await open();
    await shop.giveBack("t", { refund_id: "r1", refund_amount_cents: 1_000 });
    const { data } = (await correct(shop, sale.sale_id, { amountCents: 5_000 })).body;
    expect(data.after).toMatchObject({ refundedCents: 1_000, commission: { amountCents: 800 } });
    const again = await shop.giveBack("t", { refund_id: "r1", refund_amount_cents: 1_000 });
    expect(again.body).toMatchObject({ status: "skipped", sale_id: data.after.saleId });
  });

  test("a refund sent after corrections counts for the newest version of the sale, whichever version's transaction id it has", async () => {
    const { shop, sale } = await open();
    const first = (await correct(shop, sale.sale_id, { amountCents: 5_000 })).body.data.after;
    const second = (await correct(shop, first.saleId ?? 0, { amountCents: 4_000 })).body.data.after;
    const replies = [
      await shop.giveBack("t", { refund_id: "ch", refunded_total_cents: 1_000 }),
      await shop.giveBack("t~1", { refund_id: "ch", refunded_total_cents: 3_000 }),
      await shop.giveBack("t~2", { refund_id: "r", refund_amount_cents: 1_000 }),
    ];
    expect(replies.map(({ body }) => [body.sale_id, body.refunded_total_cents])).toEqual([
      [second.saleId, 1_000],
      [second.saleId, 3_000],
      [second.saleId, 4_000],
    ]);
    expect((await shop.commission(second.commission.id ?? 0)).amount_cents).toBe(0);
  });

  test("a sale can't be corrected to an amount below the sum of its refunds", async () => {
    const { shop, sale } = await open();
    await shop.giveBack("t", { refund_id: "r1", refund_amount_cents: 6_000 });
    const refused = await correct(shop, sale.sale_id, { amountCents: 4_900 });
    expect([refused.status, refused.body]).toMatchObject([
      409,
      { error: { details: { code: "below_refunded", refundedCents: 6_000 } } },
    ]);
    expect(await shop.all("refunds")).toHaveLength(1);
  });

  test.each<[form: string, JsonObject]>([
    ["an amount", { refund_amount_cents: 6_000 }],
    ["a running total", { refunded_total_cents: 6_000 }],
    ["a running total of the sale", { refund_id: undefined, refunded_total_cents: 6_000 }],
    ["an amount without an id", { refund_id: undefined, refund_amount_cents: 6_000 }],
  ])("a refund sent as %s limits the new amount of a correction", async (_, refund) => {
    const { shop, sale } = await open();
    await shop.giveBack("t", { refund_id: "r1", ...refund });
    for (const dryRun of [true, false]) {
      const reply = await correct(shop, sale.sale_id, { amountCents: 5_999, dryRun });
      expect(refused(reply)).toEqual([409, { code: "below_refunded", refundedCents: 6_000 }]);
    }
    const { data } = (await correct(shop, sale.sale_id, { amountCents: 6_000 })).body;
    expect(data.after).toMatchObject({ refundedCents: 6_000, commission: { status: "reversed", amountCents: 0 } });
    const higher = (await correct(shop, data.after.saleId ?? 0, { amountCents: 12_000 })).body.data.after;
    expect(higher).toMatchObject({ refundedCents: 6_000, commission: { status: "pending", amountCents: 1_200 } });
  });

  test.each<[form: string, JsonObject]>([
    ["an amount", { refund_amount_cents: 6_000 }],
    ["a running total", { refunded_total_cents: 6_000 }],
    ["everything", {}],
  ])("a canceled refund sent as %s doesn't limit a correction's amount, and its id stays closed", async (_, refund) => {
    const { shop, sale } = await open();
    await shop.giveBack("t", { refund_id: "r1", ...refund });
    await shop.giveBack("t", { refund_id: "r2", refund_amount_cents: 500 });
    await shop.giveBack("t", { refund_id: "r1", cancel: true });
    const { data } = (await correct(shop, sale.sale_id, { amountCents: 4_900 })).body;
    expect(data.after).toMatchObject({ refundedCents: 500, commission: { status: "pending", amountCents: 880 } });
    expect(await shop.entries(data.after.commission.id ?? 0)).toEqual([
      ["earned", 980],
      ["reversed", -100],
    ]);
    const late = await shop.giveBack("t", { refund_id: "r1", ...refund });
    expect(late.body).toMatchObject({ status: "skipped", reason: "canceled", sale_id: data.after.saleId });
  });

  test("after a correction, a partly canceled refund counts only by the amount that remains", async () => {
    const { shop, sale } = await open();
    await shop.giveBack("t", { refund_id: "r1", refunded_total_cents: 6_000 });
    await shop.giveBack("t", { refund_id: "r1", refunded_total_cents: 1_000, cancel: true });
    const { data } = (await correct(shop, sale.sale_id, { amountCents: 4_900 })).body;
    expect(data.after).toMatchObject({ refundedCents: 1_000, commission: { status: "pending", amountCents: 780 } });
    const next = (await correct(shop, data.after.saleId ?? 0, { amountCents: 999 })).body;
    expect(next).toMatchObject({ error: { details: { code: "below_refunded", refundedCents: 1_000 } } });
    const later = await shop.giveBack("t", {
      ...{ refund_id: "r1", refunded_total_cents: 3_000, occurred_at: at(Date.now() + 1_000) },
    });
    expect(later.body).toMatchObject({ refunded_cents: 2_000, refunded_total_cents: 3_000 });
  });

  test.each([4_900, 90_000])("after a correction, a full refund covers the new amount: %i", async (amountCents) => {
    const { shop, sale } = await open();
    await shop.giveBack("t", { refund_id: "r1", refund_amount_cents: 1_000 });
    await shop.giveBack("t", { refund_id: "r2" });
    const { data } = (await correct(shop, sale.sale_id, { amountCents })).body;
    expect(data.after).toMatchObject({
      refundedCents: amountCents,
      commission: { status: "reversed", amountCents: 0 },
    });
  });

  test("after a correction of a fully refunded sale, the customer's next sale can earn the one_time commission", async () => {
    const { shop, sale } = await open({ policies: [{ scope: "one_time" }] });
    await shop.giveBack("t", { refund_id: "r1" });
    const { data } = (await correct(shop, sale.sale_id, { amountCents: 4_900 })).body;
    expect(data.after).toMatchObject({ refundedCents: 4_900, commission: { status: "reversed", amountCents: 0 } });
    const next = (await shop.sell({ transaction_id: "next" })).body;
    expect(next.commission).toMatchObject({ status: "pending", amount_cents: 200 });
    const restored = await shop.giveBack("t", { refund_id: "r1", cancel: true });
    expect(restored.body).toMatchObject({ sale_id: data.after.saleId, reason: "one_time_used" });
  });

  test("a correction of a sale without a partner copies its refunds to the corrected sale, which earns nothing either", async () => {
    const { shop } = await open();
    const { body } = await shop.sell({ customer_key: "stranger", transaction_id: "o", amount_cents: 5_000 });
    await shop.giveBack("o", { refund_id: "r1", refund_amount_cents: 1_000 });
    const { data } = (await correct(shop, body.sale_id, { amountCents: 2_000 })).body;
    expect(data.after).toMatchObject({ refundedCents: 1_000, commission: { status: "void", amountCents: 0 } });
    const later = await shop.giveBack("o", { refund_id: "r2" });
    expect(later.body).toMatchObject({ status: "no_commission", refunded_cents: 1_000, sale_id: data.after.saleId });
  });

  test("refunds sent as an amount still limit the new amount of a correction after a refund of the whole sale", async () => {
    const { shop, sale } = await open();
    await shop.giveBack("t", { refund_id: "r1", refund_amount_cents: 1_000 });
    await shop.giveBack("t", { refund_id: "r2" });
    const reply = await correct(shop, sale.sale_id, { amountCents: 999 });
    expect(refused(reply)).toEqual([409, { code: "below_refunded", refundedCents: 1_000 }]);
  });

  test("refunds with charge_total_cents keep their share of the charge after a correction", async () => {
    const { shop, sale } = await open();
    await shop.giveBack("t", { refund_id: "r1", refund_amount_cents: 1_250, charge_total_cents: 5_000 });
    const { data } = (await correct(shop, sale.sale_id, { amountCents: 4_900, currency: "usd" })).body;
    expect(data.after).toMatchObject({ refundedCents: 1_225, commission: { amountCents: 735 } });
  });

  test("refunds beyond the sale's amount count once a correction increases the amount", async () => {
    const { shop, sale } = await open();
    await shop.giveBack("t", { refund_id: "r1", refund_amount_cents: 49_000 });
    await shop.giveBack("t", { refund_id: "r2", refund_amount_cents: 2_000 });
    const narrow = (await correct(shop, sale.sale_id, { amountCents: 50_000 })).body.data.after;
    expect(narrow).toMatchObject({ refundedCents: 50_000, commission: { status: "reversed", amountCents: 0 } });
    const wide = (await correct(shop, narrow.saleId ?? 0, { amountCents: 60_000 })).body.data.after;
    expect(wide).toMatchObject({ refundedCents: 51_000, commission: { status: "pending", amountCents: 1_800 } });
  });

  test("refunds of a corrected sale keep their reason, time, day and fields", async () => {
    const { shop, sale } = await open();
    const told = { occurred_at: at(daysAgo(1)), refund_reason: "damaged" };
    await shop.giveBack("t", { refund_id: "r1", refund_amount_cents: 1_000, ...told });
    await shop.giveBack("t", { refund_id: "r2", refunded_total_cents: 500 });
    await correct(shop, sale.sale_id, { amountCents: 5_000 });
    const columns = `r.refund_id, r.asked, r.told_cents, r.charge_total_cents, r.told_at, r.refunded_cents, r.counted_cents,
      r.refunded_total_cents, r.reason, r.status, r.outcome_reason, r.currency, r.occurred_at, r.created_at, r.day`;
    const repeated = await refundsOf(shop, "t~1", columns);
    expect(repeated).toHaveLength(2);
    expect(repeated).toEqual((await refundsOf(shop, "t", columns)).slice(0, 2));
    expect(repeated[0]).toMatchObject({ reason: "damaged", occurred_at: daysAgo(1) });
  });

  test("after a correction, refunds with charge_total_cents count in full even if they then exceed a running total sent for the whole sale", async () => {
    const { shop, sale } = await open();
    await shop.giveBack("t", { refund_id: "r1", refund_amount_cents: 1_000, charge_total_cents: 50_000 });
    await shop.giveBack("t", { refunded_total_cents: 1_100 });
    const { data } = (await correct(shop, sale.sale_id, { amountCents: 98_000 })).body;
    expect(data.after).toMatchObject({ refundedCents: 1_960, commission: { amountCents: 19_208 } });
  });

  test("refunds sent as an amount prevent a correction of the sale's currency until the refunds are canceled", async () => {
    const { shop, sale } = await open();
    await shop.giveBack("t", { refund_id: "r1", refund_amount_cents: 1_000 });
    const reply = await correct(shop, sale.sale_id, { currency: "usd", amountCents: 53_000 });
    expect(refusalOf(reply)).toBe(
      "409 This sale has refunds with amounts in its current currency. Cancel them, correct the sale, then report them again.",
    );
    const details = { code: "refunds_in_other_currency", currency: "EUR", refundedCents: 1_000 };
    expect(refused(reply)).toEqual([409, details]);
    expect(await shop.all("sales")).toHaveLength(1);
    await shop.giveBack("t", { refund_id: "r1", cancel: true });
    const { data } = (await correct(shop, sale.sale_id, { currency: "usd", amountCents: 53_000 })).body;
    expect(data.after).toMatchObject({ refundedCents: 0, currency: "USD", commission: { amountCents: 10_600 } });
  });

  test("a correction to another currency keeps refunds of the whole sale, and is refused while an uncanceled refund has an amount", async () => {
    const { shop, sale } = await open();
    await shop.giveBack("t", { refund_id: "r1" });
    await shop.giveBack("t", { refund_id: "r2", refund_amount_cents: 500 });
    const details = { code: "refunds_in_other_currency", currency: "EUR", refundedCents: 500 };
    expect(refused(await correct(shop, sale.sale_id, { currency: "usd" }))).toEqual([409, details]);
    await shop.giveBack("t", { refund_id: "r2", cancel: true });
    const { data } = (await correct(shop, sale.sale_id, { currency: "usd" })).body;
    expect(data.after).toMatchObject({ refundedCents: 49_000, currency: "USD", commission: { status: "reversed" } });
    await shop.giveBack("t", { refund_id: "r1", cancel: true });
    expect(await shop.saleRow("t~1")).toMatchObject({ refunded_cents: 0 });
  });

  test("a sale with more than 100 refund calls, including canceled ones, can't be corrected", {
    tags: "soak",
  }, async () => {
    const { shop, sale } = await open();
    const tell = (i: number, more: JsonObject = {}) =>
      shop.giveBack("t", { refund_id: `r${i}`, refund_amount_cents: 1, ...more });
    await Promise.all(Array.from({ length: 101 }, (_, i) => tell(i)));
    const reply = await correct(shop, sale.sale_id, { amountCents: 4_900 });
    expect(refusalOf(reply)).toBe("409 A sale with more than 100 refund calls can't be corrected in one call");
    expect(refused(reply)).toEqual([409, { code: "too_many_to_repeat", limit: 100 }]);
    await shop.giveBack("t", { refund_id: "r0", refunded_total_cents: undefined, cancel: true });
    expect(refused(await correct(shop, sale.sale_id, { amountCents: 4_900 }))[0]).toBe(409);
    const few = (await shop.sell({ transaction_id: "u", amount_cents: 49_000 })).body;
    await Promise.all(
      Array.from({ length: 100 }, (_, i) => shop.giveBack("u", { refund_id: `r${i}`, refund_amount_cents: 1 })),
    );
    const { data } = (await correct(shop, few.sale_id, { amountCents: 4_900 })).body;
    expect(data.after).toMatchObject({ refundedCents: 100, commission: { amountCents: 960 } });
  });
});
