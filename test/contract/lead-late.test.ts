import { describe, expect, it } from "vitest";
import { at, createProgramFixture, day, daysAgo, minute } from "../support/program-fixture.ts";

describe("a lead sent with the key after the customer's sales", () => {
  it("a lead sent with the program's key after the customer's sales attributes all of these sales, and the sales' commissions keep their ids", async () => {
    const { lead, sale, click, alice, all } = await createProgramFixture();
    const sold = [];
    for (const days of [3, 12, 7]) {
      const body = { transaction_id: `${days} days ago`, customer_key: "u", occurred_at: at(daysAgo(days)) };
      const { attributed, sale_id, commission_id, commission } = await sale(body);
      expect([attributed, commission.status]).toEqual([false, "void"]);
      sold.push({ sale_id, commission_id });
    }
    const body = { click_id: click(alice, daysAgo(30)), customer_key: "u" };
    const reply = await lead(body);
    const [third, first, second] = sold;
    expect(reply).toMatchObject({ attributed: true, attributed_sales: [first, second, third] });
    expect(reply).not.toHaveProperty("duplicate");
    await sale({ transaction_id: "after it", customer_key: "u" });
    expect(await lead(body)).toEqual({ ...reply, duplicate: true });

    const credited = { partner_id: alice.id, partner_code: alice.code, reason: null };
    expect(await all("sales")).toMatchObject([credited, credited, credited, credited]);
    const earned = { partner_id: alice.id, initial_cents: 2_000, amount_cents: 2_000, reason: null, is_unconfirmed: 0 };
    const before = sold.map(({ commission_id }) => ({ id: commission_id, ...earned }));
    expect(await all("commissions")).toMatchObject([...before, earned]);
  });

  it("a lead sent with the program's key after the customer's sales calculates each commission by the policy and hold in force at the time of its sale", async () => {
    const { lead, sale, click, alice, all } = await createProgramFixture({
      policies: [
        { rateBps: 1_000, holdDays: 15, effectiveFrom: daysAgo(100) },
        { rateBps: 3_000, holdDays: 30, effectiveFrom: daysAgo(10) },
      ],
    });
    for (const days of [20, 11, 9]) await sale({ customer_key: "u", occurred_at: at(daysAgo(days)) });
    await lead({ click_id: click(alice, daysAgo(30)), customer_key: "u" });
    const held = (days: number, holdDays: number) => daysAgo(days) + holdDays * day;
    expect(await all("commissions")).toMatchObject([
      { amount_cents: 1_000, hold_until: held(20, 15), status: "approved" },
      { amount_cents: 1_000, hold_until: held(11, 15), status: "pending" },
      { amount_cents: 3_000, hold_until: held(9, 30), status: "pending" },
    ]);
    const entries = await all("ledger_entries");
    expect(entries.map(({ kind, occurred_at }) => [kind, occurred_at])).toEqual(
      [20, 11, 9].map((days) => ["earned", daysAgo(days)]),
    );
  });

  it("a lead sent with the program's key after the customer's sales treats the earliest sale as the customer's first, in whatever order the sales are sent", async () => {
    const { lead, sale, click, alice, all } = await createProgramFixture({ policies: [{ scope: "one_time" }] });
    for (const days of [3, 12]) await sale({ customer_key: "u", occurred_at: at(daysAgo(days)) });
    await lead({ click_id: click(alice, daysAgo(30)), customer_key: "u" });
    expect(await all("commissions")).toMatchObject([
      { partner_id: alice.id, status: "void", reason: "recurring_not_covered" },
      { partner_id: alice.id, status: "pending", amount_cents: 2_000 },
    ]);
  });

  it("a lead sent with the program's key after the customer's sales records earlier refunds as reversals on the refunds' dates", async () => {
    const { lead, sale, refund, click, alice, all } = await createProgramFixture();
    const told = (transaction_id: string, days: number) => ({ transaction_id, occurred_at: at(daysAgo(days)) });
    await sale({ ...told("part", 20), customer_key: "u", amount_cents: 1_001 });
    await sale({ ...told("whole", 10), customer_key: "u" });
    for (const [days, refund_amount_cents] of [
      [18, 333],
      [15, 333],
    ] as const) {
      expect(await refund({ ...told("part", days), refund_amount_cents })).toMatchObject({ status: "no_commission" });
    }
    await refund(told("whole", 8));
    await lead({ click_id: click(alice, daysAgo(30)), customer_key: "u" });

    // After the first refund, 200 · 668/1001 = 133.47 are left; after the second, 200 · 335/1001 = 66.93.
    const entries = await all("ledger_entries");
    expect(entries.map(({ kind, amount_cents, occurred_at }) => [kind, amount_cents, occurred_at])).toEqual([
      ["earned", 200, daysAgo(20)],
      ["reversed", -67, daysAgo(18)],
      ["reversed", -66, daysAgo(15)],
      ["earned", 2_000, daysAgo(10)],
      ["reversed", -2_000, daysAgo(8)],
    ]);
    expect(await all("commissions")).toMatchObject([
      { status: "approved", initial_cents: 200, amount_cents: 67 },
      { status: "reversed", initial_cents: 2_000, amount_cents: 0 },
    ]);
    expect(await all("refunds")).toMatchObject([
      { partner_id: alice.id, status: "refunded", commission_reversed_cents: 67, commission_amount_cents: 133 },
      { partner_id: alice.id, status: "refunded", commission_reversed_cents: 66, commission_amount_cents: 67 },
      { partner_id: alice.id, status: "reversed", commission_reversed_cents: 2_000, commission_amount_cents: 0 },
    ]);
  });

  it("a lead sent with the program's key after the customer's sales lets a later refund reverse only the remaining commission", async () => {
    const { lead, sale, refund, click, alice } = await createProgramFixture();
    await sale({ transaction_id: "t", customer_key: "u", occurred_at: at(daysAgo(5)) });
    await refund({ transaction_id: "t", refund_amount_cents: 2_500 });
    await lead({ click_id: click(alice, daysAgo(30)), customer_key: "u" });
    const rest = { status: "reversed", commission_reversed_cents: 1_500, commission_amount_cents: 0 };
    expect(await refund({ transaction_id: "t" })).toMatchObject(rest);
  });

  it("a lead sent with the program's key after the customer's sales locks the customer to the partner, and the next sale is attributed too", async () => {
    const { lead, sale, click, alice, bob } = await createProgramFixture();
    await sale({ customer_key: "u", occurred_at: at(daysAgo(5)) });
    await lead({ click_id: click(alice, daysAgo(30)), customer_key: "u" });
    expect(await lead({ click_id: click(bob, daysAgo(6)), customer_key: "u" })).toMatchObject({
      partner_code: alice.code,
    });
    expect(await sale({ customer_key: "u" })).toMatchObject({ attributed: true, partner_code: alice.code });
  });
});

describe.each(["lead", "first_sale"] as const)(
  "attribution of all sales by a later lead (windowUntil: %s)",
  (windowUntil) => {
    const clickAt = daysAgo(70);
    const expired = { reason: "attribution_window_expired", click_age_days: 60, window_days: 60 };

    it.each([
      ["at the window's end", 60 * day, { attributed: true }],
      [
        "a millisecond after the window's end",
        60 * day + 1,
        windowUntil === "lead" ? { attributed: true } : { attributed: false, ...expired },
      ],
      ["at the click's instant", 0, { attributed: true }],
      ["five minutes before the click", -5 * minute, { attributed: true }],
      ["more than five minutes before the click", -5 * minute - 1, { attributed: false, reason: "existing_customer" }],
    ])(
      "whether a lead sent after the sales attributes all of them depends on the first sale's time: %s",
      async (_, age, expected) => {
        const { lead, sale, click, alice, all } = await createProgramFixture({ program: { windowUntil } });
        await sale({ customer_key: "u", occurred_at: at(daysAgo(1)) });
        await sale({ customer_key: "u", occurred_at: at(clickAt + age) });
        const reply = await lead({
          click_id: click(alice, clickAt),
          customer_key: "u",
          occurred_at: at(clickAt + minute),
        });
        expect(reply).toMatchObject(expected);
        const sold = expected.attributed ? alice.id : null;
        expect((await all("sales")).map(({ partner_id }) => partner_id)).toEqual([sold, sold]);
        expect(await sale({ customer_key: "u" })).toMatchObject({ attributed: expected.attributed });
      },
    );
  },
);
