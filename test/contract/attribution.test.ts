import { describe, expect, it } from "vitest";
import { at, createProgramFixture, day, daysAgo, minute } from "../support/program-fixture.ts";

const expired = "attribution_window_expired";

describe("the attribution window", () => {
  it.each([
    ["at the window's end", 60 * day, { attributed: true }],
    ["a millisecond after the window's end", 60 * day + 1, { reason: expired, click_age_days: 60, window_days: 60 }],
    ["almost a day after the window's end", 61 * day - 1, { reason: expired, click_age_days: 60, window_days: 60 }],
    ["five minutes before the click", -5 * minute, { attributed: true }],
    ["more than five minutes before the click", -5 * minute - 1, { attributed: false, reason: "no_click" }],
  ])("the attribution window decides whether a lead %s is attributed", async (_, age, expected) => {
    const { lead, click, alice } = await createProgramFixture();
    const clickId = click(alice, daysAgo(100));
    const reply = await lead({ click_id: clickId, customer_key: "u", occurred_at: at(daysAgo(100, age)) });
    expect(reply).toMatchObject(expected);
  });

  it.each([
    ["first_sale", "at the window's end", 60 * day, { attributed: true }],
    [
      "first_sale",
      "a millisecond after the window's end",
      60 * day + 1,
      { reason: expired, click_age_days: 60, window_days: 60 },
    ],
    ["first_sale", "five minutes before the click", -5 * minute, { attributed: true }],
    ["first_sale", "more than five minutes before the click", -5 * minute - 1, { reason: "existing_customer" }],
    ["lead", "a millisecond after the window's end", 60 * day + 1, { attributed: true }],
    ["lead", "almost a hundred days after the click", 100 * day - 1, { attributed: true }],
    ["lead", "five minutes before the click", -5 * minute, { attributed: true }],
    ["lead", "more than five minutes before the click", -5 * minute - 1, { reason: "existing_customer" }],
  ] as const)(
    "after a lead, windowUntil %s decides whether the customer's first sale %s is attributed",
    async (windowUntil, _, age, expected) => {
      const { lead, sale, click, alice } = await createProgramFixture({ program: { windowUntil } });
      const clickId = click(alice, daysAgo(100));
      await lead({ click_id: clickId, customer_key: "u", occurred_at: at(daysAgo(100, minute)) });
      expect(await sale({ customer_key: "u", occurred_at: at(daysAgo(100, age)) })).toMatchObject(expected);
    },
  );

  it.each([
    [1, 1, { attributed: true }],
    [1, 2, { reason: expired, click_age_days: 2, window_days: 1 }],
    [365, 365, { attributed: true }],
    [365, 366, { reason: expired, click_age_days: 366, window_days: 365 }],
  ])("a window of %i days decides whether a click %i days old counts", async (attributionWindowDays, age, expected) => {
    const { lead, click, alice } = await createProgramFixture({ program: { attributionWindowDays } });
    const body = { click_id: click(alice, daysAgo(age)), customer_key: "u", occurred_at: at(daysAgo(0)) };
    expect(await lead(body)).toMatchObject(expected);
  });
});

describe.each(["last_click", "first_click"] as const)("the model %s", (attributionModel) => {
  const program = { attributionModel };
  const newestFirst = <T>(newest: T, oldest: T) => (attributionModel === "last_click" ? newest : oldest);

  it("the attribution model chooses among the call's clicks by time, whichever field contains them", async () => {
    const { lead, browserLead, click, alice, bob } = await createProgramFixture({ program });
    const [old, middle, young] = [click(alice, daysAgo(9)), click(alice, daysAgo(5)), click(bob, daysAgo(1))];
    const { code } = newestFirst(bob, alice);
    const orders = [
      { click_id: old, click_ids: [young, middle] },
      { click_id: young, click_ids: [middle, old] },
      { click_ids: [middle, young, old] },
    ];
    for (const [i, clicks] of orders.entries()) {
      expect(await lead({ ...clicks, customer_key: `k${i}` })).toMatchObject({ partner_code: code });
    }
    expect(await browserLead({ click_ids: [young, old], customer_key: "b" })).toMatchObject({ partner_code: code });
  });

  it("the attribution model chooses the click with the smaller id if two clicks happened at the same instant", async () => {
    const { lead, click, alice, bob } = await createProgramFixture({ program });
    const clicks = [alice, bob].map((partner) => ({ partner, id: click(partner) }));
    const [smaller] = clicks.toSorted((a, b) => (a.id < b.id ? -1 : 1));
    const reply = await lead({ click_ids: clicks.map(({ id }) => id), customer_key: "u" });
    expect(reply.partner_code).toBe(smaller?.partner.code);
  });

  it("the attribution model also considers clicks from the customer's earlier calls", async () => {
    const { lead, click, alice, bob } = await createProgramFixture({ program });
    await lead({ click_id: click(alice, daysAgo(5)), customer_key: "u" });
    const reply = await lead({ click_id: click(bob, daysAgo(1)), customer_key: "u" });
    expect(reply.partner_code).toBe(newestFirst(bob, alice).code);
    const { attributed, partner_code } = await lead({ click_id: click(alice, daysAgo(3)), customer_key: "u" });
    expect({ attributed, partner_code }).toEqual({ attributed: true, partner_code: newestFirst(bob, alice).code });
  });

  it("the attribution model ignores clicks before the window, after the lead, or from another program or book (live or test)", async () => {
    const { lead, click, alice, bob } = await createProgramFixture({ program });
    const other = await createProgramFixture();
    const reply = await lead({
      customer_key: "u",
      occurred_at: at(daysAgo(10)),
      click_id: "forged",
      click_ids: [
        click(bob, daysAgo(71)),
        other.click(other.bob, daysAgo(69)),
        click(bob, daysAgo(68), true),
        click(alice, daysAgo(20)),
        click(bob, daysAgo(12), true),
        other.click(other.bob, daysAgo(11)),
        click(bob, daysAgo(9)),
      ],
    });
    expect(reply).toMatchObject({ attributed: true, partner_code: alice.code });
  });
});

describe("a history of click ids", () => {
  const historyOf = ({ click, alice, bob }: Awaited<ReturnType<typeof createProgramFixture>>, length: number) => [
    click(alice, daysAgo(50)),
    ...Array.from({ length: length - 1 }, (_, i) => click(bob, daysAgo(40, i))),
  ];

  it.each([
    [20, "alice"],
    [21, "bob"],
  ] as const)(
    "only the newest 20 of a call's %i click ids count, so the model first_click chooses the click of partner %s",
    async (length, winner) => {
      const shop = await createProgramFixture({ program: { attributionModel: "first_click" } });
      const reply = await shop.lead({ click_ids: historyOf(shop, length), customer_key: "u" });
      expect(reply.partner_code).toBe(shop[winner].code);
    },
  );

  it("a history of click ids identifies the program by its newest click if the call names no program", async () => {
    const [shop, other] = [await createProgramFixture(), await createProgramFixture()];
    const earlier = other.click(other.alice, daysAgo(9));
    const reply = await shop.browserLead({ click_id: shop.click(shop.bob), click_ids: [earlier], customer_key: "u" });
    expect(reply).toMatchObject({ attributed: true, partner_code: shop.bob.code });
    expect(await other.all("leads")).toEqual([]);
  });
});
