import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../harness/client.ts";
import type { WorldSettings } from "../../harness/world.ts";
import { sampled } from "../support/breadth.ts";
import { expectLedgerConsistent } from "../support/expect-ledger-consistent.ts";
import { daysAgo } from "../support/program-fixture.ts";
import type { SalesFixture } from "../support/sales-fixture.ts";
import { openShop, readStatement, type Statement, statementPath, sumOf } from "../support/statements-fixture.ts";
import { invalidFields, refusalOf, usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile();

const open = (settings?: WorldSettings) => openShop(people, settings);
const read = (shop: SalesFixture, query = "") => readStatement(people.viewer, shop, query);
const write = async (shop: SalesFixture, rest: string, body: JsonObject = {}) => {
  const reply = await people.admin.post<{ data: { id: number; status: string } }>(
    `/api/programs/${shop.world.programId}/${rest}`,
    body,
  );
  expect(reply.status, reply.text).toBeLessThan(300);
  return reply.body.data;
};
const pay = async (shop: SalesFixture, reference: string, body: JsonObject = {}) => {
  const { id } = await write(shop, "payouts", { currency: "EUR", reference });
  await write(shop, `payouts/${id}/confirm`, body);
  return id;
};
/** The refs of commissions, as a partner sees them. */
async function refsOf({ world }: SalesFixture): Promise<ReadonlyMap<unknown, string>> {
  const { body } = await people.admin.get<{ data: { id: number; ref: string }[] }>(
    `/api/programs/${world.programId}/commissions`,
  );
  return new Map(body.data.map(({ id, ref }) => [id, ref]));
}
const today = () => new Date().toISOString().slice(0, 10);

describe("a statement", () => {
  test("a statement contains each kind of entry, from the sale to the failed payment", async () => {
    const shop = await open();
    const { alice } = shop;
    const { commission_id } = (await shop.sell({ transaction_id: "order-1", amount_cents: 10_000 })).body;
    await shop.giveBack("order-1", { refund_id: "r-1", refund_amount_cents: 2_500, refund_reason: "damaged" });
    await write(shop, `partners/${alice.id}/adjustments`, {
      ...{
        amountCents: 300,
        currency: "EUR",
        reason: "keeps them quiet",
        partnerNote: "Launch bonus",
        reference: "launch",
      },
    });
    const rejected = (await shop.sell({ transaction_id: "order-2" })).body.commission_id;
    await write(shop, `commissions/${rejected}/reject`, {
      reason: "cheated, see chat",
      partnerNote: "You can't refer yourself",
    });
    const payoutId = await pay(shop, "2026-01");
    await write(shop, `payouts/${payoutId}/lines/${alice.id}/fail`, {
      reason: "typed it wrong twice",
      partnerNote: "Your account was closed",
    });

    const { data, meta } = await read(shop);
    const refs = await refsOf(shop);
    const plain = {
      ...{ day: today(), postedOn: today(), saleOn: null, ref: null },
      ...{ corrected: false, underReview: false, underReviewSince: null, payoutReference: null, partnerNote: null },
    };
    const first = { ...plain, saleOn: today(), ref: refs.get(commission_id) };
    const second = { ...plain, saleOn: today(), ref: refs.get(rejected) };
    const payment = { ...plain, payoutReference: "2026-01" };
    expect(data).toEqual({
      ...{ returnedOn: null, creditedOn: null, changedLater: null },
      ...{ number: null, programName: "Test program", issuer: null, payoutTerms: null, address: null, taxId: null },
      ...{ partnerId: alice.id, partnerCode: alice.code, name: `Partner ${alice.code}`, currency: "EUR" },
      ...{ from: today(), to: today(), paidOn: null },
      openingCents: 0,
      entries: [
        { ...first, kind: "earned", amountCents: 2_000 },
        { ...first, kind: "reversed", amountCents: -500 },
        { ...plain, kind: "adjusted", amountCents: 300, partnerNote: "Launch bonus" },
        { ...second, kind: "earned", amountCents: 200 },
        { ...second, kind: "rejected", amountCents: -200, partnerNote: "You can't refer yourself" },
        { ...payment, kind: "paid", amountCents: -1_800 },
        { ...payment, kind: "returned", amountCents: 1_800, partnerNote: "Your account was closed" },
      ],
      ...{ earnedCents: 2_200, refundedCents: -700, adjustedCents: 300, paidCents: 0, closingCents: 1_800 },
      ...{ pendingCents: 0, payableCents: 1_800, inPayoutCents: 0 },
    });
    expect(meta).toEqual({ timezone: "UTC", otherCurrencies: [] });
    await expectLedgerConsistent(shop.world);
  });

  test("a statement doesn't contain internal reasons of rejections, refunds, adjustments or failed payments, in any format", async () => {
    const shop = await open();
    const { alice } = shop;
    const rejected = (await shop.sell()).body.commission_id;
    await write(shop, `commissions/${rejected}/reject`, { reason: "secret 1" });
    await shop.sell({ transaction_id: "order" });
    await shop.giveBack("order", { refund_amount_cents: 100, refund_reason: "secret 2" });
    await write(shop, `partners/${alice.id}/adjustments`, {
      ...{ amountCents: 300, currency: "EUR", reason: "secret 3", reference: "a" },
    });
    const payoutId = await pay(shop, "paid", { note: "secret 4" });
    await write(shop, `payouts/${payoutId}/lines/${alice.id}/fail`, { reason: "secret 5" });
    for (const format of ["json", "csv"]) {
      const { status, text } = await people.viewer.get(`${statementPath(shop)}?format=${format}`, { checked: false });
      expect([status, text.includes("returned"), text.includes("secret")]).toEqual([200, true, false]);
    }
  });

  test("a statement shows a refund after a payout as deducted in the next payout", async () => {
    const shop = await open();
    await shop.sell({ transaction_id: "order-1", amount_cents: 10_000 });
    await pay(shop, "first");
    await shop.giveBack("order-1", { refund_amount_cents: 5_000 });
    expect((await read(shop)).data).toMatchObject({ closingCents: -1_000, payableCents: 0, inPayoutCents: 0 });
    await shop.sell({ amount_cents: 20_000 });
    await pay(shop, "second");
    const { data } = await read(shop);
    expect(data.entries.map(({ kind, amountCents, payoutReference }) => [kind, amountCents, payoutReference])).toEqual([
      ["earned", 2_000, null],
      ["paid", -2_000, "first"],
      ["reversed", -1_000, null],
      ["earned", 4_000, null],
      ["paid", -3_000, "second"],
    ]);
    expect(data).toMatchObject({ closingCents: 0, pendingCents: 0, payableCents: 0, inPayoutCents: 0 });
  });

  test("a statement closes at the sum of the pending, payable and in-payout amounts", async () => {
    const shop = await open({ partners: [{}, {}], policies: [{}] });
    await shop.sell({ amount_cents: 10_000 });
    const { commission_id } = (await shop.sell({ amount_cents: 20_000 })).body;
    await write(shop, `commissions/${commission_id}/approve`);
    const { id } = await write(shop, "payouts", { currency: "EUR" });
    await write(shop, `payouts/${id}/finalize`);
    await write(shop, `partners/${shop.alice.id}/adjustments`, {
      ...{ amountCents: 700, currency: "EUR", reason: "Bonus", reference: "b" },
    });
    const { data } = await read(shop);
    expect(data).toMatchObject({ pendingCents: 2_000, payableCents: 700, inPayoutCents: 4_000, closingCents: 6_700 });
  });

  test.each(["JPY", "KWD"])(
    "a statement covers one currency, in its smallest unit, and lists the partner's other currencies: %s",
    async (currency) => {
      const shop = await open();
      await shop.sell({ amount_cents: 10_000, currency });
      await shop.sell({ amount_cents: 20_000, currency: "CLF" });
      const own = await read(shop, `?currency=${currency.toLowerCase()}`);
      expect(own.data).toMatchObject({ currency, closingCents: 2_000, payableCents: 2_000 });
      expect(own.meta.otherCurrencies).toEqual(["CLF"]);
      const common = await read(shop);
      expect(common.data).toMatchObject({ currency: "EUR", entries: [], closingCents: 0, from: today(), to: today() });
      expect(common.meta.otherCurrencies).toEqual(["CLF", currency].toSorted());
    },
  );

  test.each([
    ["from=yesterday&to=2026-13-01&currency=EU&format=pdf", ["from", "to", "currency", "format"]],
    ["from=2026-02-01&to=2026-01-31", ["from"]],
  ])("a statement refuses the query %s", async (query, fields) => {
    const shop = await open();
    const reply = await people.viewer.get(`${statementPath(shop)}?${query}`);
    expect([reply.status, invalidFields(reply)]).toEqual([400, fields]);
  });

  test.each(["0", "x", "987654321"])("a statement is refused for an unknown partner: %s", async (partnerId) => {
    const shop = await open();
    expect(refusalOf(await people.viewer.get(statementPath(shop, partnerId)))).toBe("404 Partner not found");
  });

  test("a statement is refused for another program's partner and for the partner that a verification run creates", async () => {
    const [shop, other] = [await open(), await open()];
    await other.sell();
    expect(refusalOf(await people.viewer.get(statementPath(shop, other.alice.id)))).toBe("404 Partner not found");
    await shop.api.verification({ key: shop.world.key });
    const { id } = await shop.row(
      "select id from partners where is_synthetic and program_id = ?",
      shop.world.programId,
    );
    expect(refusalOf(await people.viewer.get(statementPath(shop, Number(id))))).toBe("404 Partner not found");
  });

  test("a statement doesn't contain test sales", async () => {
    const shop = await open();
    await shop.lead({
      customer_key: "t1",
      click_id: shop.click(shop.alice, daysAgo(1), true),
      additional_data: { test_mode: true },
    });
    await shop.sell({ customer_key: "t1", additional_data: { test_mode: true } });
    expect((await read(shop)).data).toMatchObject({ entries: [], closingCents: 0, pendingCents: 0 });
  });
});

/** Creates a payout, and either cancels it (0), pays it and fails one line (1), or pays it. */
async function payOut(shop: SalesFixture, reference: string, how: number): Promise<void> {
  const { status, body } = await people.admin.post<{ data: { id: number; lines: { partnerId: number }[] } }>(
    `/api/programs/${shop.world.programId}/payouts`,
    { currency: "EUR", reference },
  );
  if (status !== 201) return;
  const { id, lines } = body.data;
  await write(shop, `payouts/${id}/${how === 0 ? "cancel" : "confirm"}`);
  const [line] = lines;
  if (how === 1 && line) await write(shop, `payouts/${id}/lines/${line.partnerId}/fail`, { reason: "Random" });
}

describe("statements of random histories", () => {
  test.each(sampled([1, 2, 3]))(
    "statements of random histories close at the partners' balances, in total and for each kind of amount, for seed %i",
    async (seed) => {
      const shop = await open({ partners: [{}, {}], policies: [{ holdDays: 0 }] });
      await shop.refer("c2", { partner: shop.bob });
      let state = seed;
      const random = (below: number) => {
        state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
        return Math.floor((state / 2 ** 31) * below);
      };
      const sales: string[] = [];
      const steps = [
        async (i: number) => {
          const currency = ["EUR", "JPY"][random(2)] ?? "EUR";
          const customer_key = `c${1 + random(2)}`;
          await shop.sell({ transaction_id: `t${i}`, amount_cents: 1_000 + random(90_000), currency, customer_key });
          sales.push(`t${i}`);
        },
        async () => {
          const of = sales[random(sales.length)];
          if (of !== undefined) await shop.giveBack(of, { refund_amount_cents: 1 + random(900) });
        },
        (i: number) =>
          write(shop, `partners/${shop.alice.id}/adjustments`, {
            ...{ amountCents: random(900) - 450 || 1, currency: "EUR", reason: "Random", reference: `a${i}` },
          }),
        (i: number) => payOut(shop, `p${i}`, random(3)),
      ] as const;
      for (let i = 0; i < 24; i += 1) await steps[i % 2 === 0 ? 0 : random(steps.length)]?.(i);

      const { body } = await people.viewer.get<{ data: Record<string, number | string>[] }>(
        `/api/programs/${shop.world.programId}/balances`,
      );
      for (const { partnerId, currency, pendingCents, payableCents, inPayoutCents, carriedCents } of body.data) {
        const { body: statement } = await people.viewer.get<Statement>(
          `${statementPath(shop, partnerId)}?currency=${currency}`,
        );
        const { data } = statement;
        const balance = [pendingCents, payableCents, inPayoutCents, carriedCents].reduce<number>(
          (sum, n) => sum + Number(n),
          0,
        );
        expect([data.openingCents + sumOf(data.entries), data.closingCents]).toEqual([balance, balance]);
        expect(data).toMatchObject({ pendingCents, payableCents, inPayoutCents });
      }
      expect(body.data.length).toBeGreaterThanOrEqual(2);
      await expectLedgerConsistent(shop.world);
    },
  );
});
