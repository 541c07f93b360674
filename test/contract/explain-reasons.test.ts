import { describe, expect, it } from "vitest";
import type { WorldSettings } from "../../harness/world.ts";
import { explained } from "../support/explain.ts";
import { at, clickOf, daysAgo } from "../support/program-fixture.ts";
import { createSalesFixture, type SalesFixture } from "../support/sales-fixture.ts";

/** Records a sale. Returns its response and its explanation. */
async function sold(shop: SalesFixture, body = {}) {
  const { body: answer } = await shop.sell({ transaction_id: "explained", ...body });
  const explanation = await explained(shop, { transaction_id: "explained" });
  return { answer, ...explanation };
}

interface Case {
  readonly settings?: WorldSettings;
  /** Runs before the sale is recorded. */
  readonly before?: (shop: SalesFixture) => Promise<unknown>;
  readonly sale?: (shop: SalesFixture) => object;
  readonly message: string | RegExp;
}

const referred = (shop: SalesFixture) => shop.refer("c1");
/** A correctly signed click id of another program. */
const strangeClick = clickOf(1, { linkId: 1 }, daysAgo(1));

const ofSale: Readonly<Record<string, Case>> = {
  customer_not_found: { message: "Neither a lead nor a click identified the customer." },
  no_click: {
    before: (shop) => shop.lead({ customer_key: "c1" }),
    message: "No partner's click was reported for the customer.",
  },
  invalid_click_id: {
    sale: () => ({ customer_key: "c1", click_id: strangeClick }),
    message: "The click id that was sent isn't valid in this program.",
  },
  existing_customer: {
    before: async (shop) => {
      await shop.sell({ occurred_at: at(daysAgo(5)) });
      await shop.lead({ customer_key: "c1", click_id: shop.click(shop.alice, daysAgo(2)) });
    },
    message: "The customer had already bought before the click.",
  },
  attribution_window_expired: {
    sale: (shop) => ({ customer_key: "c1", click_id: shop.click(shop.alice, daysAgo(63)) }),
    message: "The click was 63 days old, and the attribution window was 60 days.",
  },
  no_commission_policy: {
    settings: { policies: [] },
    before: referred,
    message: /^No commission policy was in effect on \d+ \w+ \d{4}\.$/,
  },
  partner_inactive: {
    settings: { partners: [{ status: "paused" }, {}] },
    before: referred,
    message: "The partner was paused.",
  },
  program_inactive: {
    settings: { program: { status: "paused" } },
    before: referred,
    message: "The program was paused.",
  },
  commission_duration_over: {
    settings: { policies: [{ scope: "recurring", durationMonths: 1 }] },
    before: async (shop) => {
      await shop.refer("c1", { clickAt: daysAgo(50) });
      await shop.sell({ occurred_at: at(daysAgo(49)) });
    },
    message: "The policy pays for 1 month after the customer's first sale, and that time was over.",
  },
  recurring_not_covered: {
    settings: { policies: [{ scope: "one_time" }] },
    before: async (shop) => {
      await shop.refer("c1");
      await shop.sell();
    },
    message: "The policy pays for one sale per customer, and this is a renewal, or another sale earned the commission.",
  },
  currency_mismatch: {
    settings: { policies: [{ type: "flat", amountCents: 100, currency: "EUR" }] },
    before: referred,
    sale: () => ({ currency: "USD" }),
    message: "The policy's amounts are in EUR, the sale is in USD, and amounts aren't converted.",
  },
  below_minimum: {
    settings: { policies: [{ minSaleCents: 5_000, currency: "EUR" }] },
    before: referred,
    message: "The sale of €10.00 is below the policy's minimum of €50.00.",
  },
};

describe("the explanation of a sale that earns nothing or is unconfirmed has a reason and a remedy", () => {
  it.each(Object.entries(ofSale))(
    "the explanation of a sale that earns nothing or is unconfirmed has a remedy and the reason %s",
    async (reason, { settings, before, sale, message }) => {
      const shop = await createSalesFixture(settings);
      await before?.(shop);
      const { answer, verdict, missing, commission } = await sold(shop, sale?.(shop));
      expect(answer.reason).toBe(reason);
      expect(verdict).toMatchObject({ reason, attributed: answer.attributed, commission_cents: 0, status: "void" });
      expect(verdict.partner_code ?? undefined).toBe(answer.partner_code);
      expect(missing).toEqual([
        {
          code: reason,
          message: expect.stringMatching(message),
          remedy: expect.any(String),
          docs_url: expect.any(String),
        },
      ]);
      expect(missing[0]?.docs_url).toMatch(new RegExp(`/docs#reason-${reason}$`));
      expect(commission?.calculation.at(-1)?.cents ?? 0).toBe(0);
    },
  );

  it("the explanation of a sale shows the age of an expired click in days", async () => {
    const shop = await createSalesFixture();
    const click_id = shop.click(shop.alice, daysAgo(63));
    const { missing, candidates } = await sold(shop, { customer_key: "c1", click_id });
    expect(missing[0]?.remedy).toMatch(/^A click 3 days younger would have counted\./);
    expect(candidates).toEqual([
      {
        click_id,
        at: at(daysAgo(63)),
        partner_code: shop.alice.code,
        outcome: "outside_window",
        age_days: 63,
        window_days: 60,
      },
    ]);
  });

  it("the explanation of a sale has the reason invalid_click_id if only the lead sent an invalid click id", async () => {
    const shop = await createSalesFixture();
    await shop.lead({ customer_key: "c1", click_id: strangeClick });
    const { answer, verdict, missing, candidates } = await sold(shop);
    expect(answer.reason).toBe("no_click");
    expect(verdict).toMatchObject({
      reason: "no_click",
      message: expect.stringMatching(/isn't valid in this program\.$/),
    });
    expect(missing.map(({ code }) => code)).toEqual(["invalid_click_id"]);
    expect(candidates).toMatchObject([{ click_id: strangeClick, outcome: "invalid" }]);
  });

  it("the explanation of a sale doesn't contain malformed click ids", async () => {
    const shop = await createSalesFixture();
    await shop.lead({ customer_key: "c1", click_id: "jane.doe@mail.example, Elm Street 0, +49 555 1234560" });
    expect((await sold(shop)).candidates).toMatchObject([{ click_id: "malformed", outcome: "invalid" }]);
  });

  it("the explanation of a sale has the reason one_time_used if a later sale earned the one_time commission while the first was refunded", async () => {
    const shop = await createSalesFixture({ policies: [{ scope: "one_time" }] });
    await shop.refer("c1");
    await shop.sell({ transaction_id: "first" });
    await shop.giveBack("first", { refund_id: "r" });
    await shop.sell({ transaction_id: "second" });
    expect((await shop.giveBack("first", { refund_id: "r", cancel: true })).body.reason).toBe("one_time_used");
    const { verdict, missing, commission } = await explained(shop, { transaction_id: "first" });
    expect(verdict).toMatchObject({ attributed: true, commission_cents: 0, status: "reversed" });
    expect(missing.map(({ code }) => code)).toEqual(["one_time_used"]);
    expect(commission?.calculation.at(-1)?.cents).toBe(0);
  });

  it("the explanation of an unconfirmed sale has the reason unconfirmed", async () => {
    const shop = await createSalesFixture();
    await shop.browserLead({ customer_key: "c1", click_id: shop.click(shop.alice) });
    const { answer, verdict, missing } = await sold(shop);
    expect(answer.commission).toMatchObject({ unconfirmed: true, amount_cents: 200 });
    expect(verdict).toMatchObject({ attributed: true, commission_cents: 200, status: "pending", reason: null });
    expect(verdict.message).toMatch(
      /earned €2\.00 on this sale, but it waits for confirmation, because only a browser/,
    );
    expect(missing.map(({ code }) => code)).toEqual(["unconfirmed"]);
  });
});

describe("the explanation of an unattributed lead", () => {
  it("the explanation of a provisional lead has the reason provisional", async () => {
    const shop = await createSalesFixture({ program: { leadAuth: "server_required" } });
    const click_id = shop.click(shop.alice);
    expect(await shop.browserLead({ customer_key: "c1", click_id })).toMatchObject({ provisional: true });
    const { verdict, missing, candidates, events } = await explained(shop, { customer_key: "c1" });
    expect(verdict).toMatchObject({ attributed: false, reason: "provisional", sales: 0 });
    expect(missing.map(({ code }) => code)).toEqual(["provisional"]);
    expect(candidates).toMatchObject([{ click_id, outcome: "unconfirmed", partner_code: shop.alice.code }]);
    expect(events).toMatchObject([{ type: "lead", provisional: true }]);
  });

  it.each([
    ["no_click", () => ({})],
    ["invalid_click_id", () => ({ click_id: strangeClick })],
    ["attribution_window_expired", (shop: SalesFixture) => ({ click_id: shop.click(shop.alice, daysAgo(61)) })],
  ] as const)("the explanation of an unattributed lead has the reason %s", async (reason, clicks) => {
    const shop = await createSalesFixture();
    const answer = await shop.lead({ customer_key: "c1", ...clicks(shop) });
    expect(answer.reason).toBe(reason);
    for (const query of [{ lead_id: answer.lead_id }, { customer_key: "c1" }]) {
      const { verdict, missing } = await explained(shop, query);
      expect(verdict).toMatchObject({ attributed: false, partner_code: null, reason });
      expect(missing.map(({ code }) => code)).toEqual([reason]);
    }
  });
});

describe("the outcome of each click in an explanation", () => {
  it.each([
    ["last_click", ["chosen", "older", "outside_window", "invalid", "after_the_event"]],
    ["first_click", ["newer", "chosen", "outside_window", "invalid", "after_the_event"]],
  ] as const)("a click's outcome in an explanation is decided by the model %s", async (attributionModel, outcomes) => {
    const shop = await createSalesFixture({ program: { attributionModel } });
    const clicks = [
      shop.click(shop.alice, daysAgo(4)),
      shop.click(shop.bob, daysAgo(6)),
      shop.click(shop.bob, daysAgo(70)),
      "junk".repeat(9),
      shop.click(shop.alice, daysAgo(1)),
    ];
    await shop.lead({ customer_key: "c1", click_ids: clicks, occurred_at: at(daysAgo(2)) });
    const { candidates } = await explained(shop, { customer_key: "c1" });
    const outcomeOf = (id: string) => candidates.find(({ click_id }) => click_id === id)?.outcome;
    expect(clicks.map(outcomeOf)).toEqual(outcomes);
    await shop.sell({ transaction_id: "t" });
    expect((await explained(shop, { transaction_id: "t" })).candidates).toEqual(candidates);
  });

  it("the outcome of a click in an explanation is other_link_paused if the click's link is paused", async () => {
    const shop = await createSalesFixture({ partners: [{}, { linkStatus: "paused" }] });
    const lost = shop.click(shop.bob, daysAgo(4));
    await shop.lead({ customer_key: "c1", click_ids: [lost, shop.click(shop.alice, daysAgo(2))] });
    const { candidates } = await explained(shop, { customer_key: "c1" });
    expect(candidates).toMatchObject([{ outcome: "chosen" }, { click_id: lost, outcome: "other_link_paused" }]);
  });

  it("the outcome of a browser's click in an explanation is unconfirmed if a call with the program's key sends another click", async () => {
    const shop = await createSalesFixture();
    const [byBrowser, byKey] = [shop.click(shop.bob, daysAgo(1)), shop.click(shop.alice, daysAgo(2))];
    await shop.browserLead({ customer_key: "c1", click_id: byBrowser });
    await shop.sell({ transaction_id: "t" });
    await shop.lead({ customer_key: "c1", click_id: byKey });
    const { verdict, candidates, commission } = await explained(shop, { transaction_id: "t" });
    expect(verdict).toMatchObject({ partner_code: shop.alice.code, commission_cents: 200 });
    expect(candidates).toMatchObject([
      { click_id: byKey, outcome: "chosen" },
      { click_id: byBrowser, outcome: "unconfirmed", partner_code: shop.bob.code },
    ]);
    expect(commission?.calculation.at(-1)).toEqual({
      step: "moved",
      text: `Moved from partner ${shop.bob.code}`,
      cents: 200,
      currency: "EUR",
    });
    expect(commission?.entries.map(({ kind, partner_code }) => [kind, partner_code])).toEqual([
      ["earned", shop.bob.code],
      ["moved", shop.bob.code],
      ["moved", shop.alice.code],
    ]);
  });

  it("an explanation lists at most 21 clicks with their outcomes, and the number of the customer's other clicks", async () => {
    const shop = await createSalesFixture();
    const shown = (from: number) => Array.from({ length: 20 }, (_, i) => shop.click(shop.bob, daysAgo(from + i)));
    await shop.lead({ customer_key: "c1", click_ids: shown(30) });
    await shop.lead({ customer_key: "c1", click_ids: shown(5), click_id: shop.click(shop.alice, daysAgo(1)) });
    const { candidates, earlier_clicks } = await explained(shop, { customer_key: "c1" });
    expect(candidates).toHaveLength(21);
    expect(earlier_clicks).toBe(20);
  });

  it("an explanation doesn't list the outcome of a click sent after the decision", async () => {
    const shop = await createSalesFixture();
    await shop.lead({ customer_key: "c1", click_id: shop.click(shop.alice, daysAgo(2)) });
    await shop.sell({ transaction_id: "before" });
    await shop.lead({ customer_key: "c1", click_id: shop.click(shop.bob, daysAgo(5)) });
    await shop.sell({ transaction_id: "after" });
    const earlierClicks = async (query: Record<string, string>) => (await explained(shop, query)).earlier_clicks;
    expect(await earlierClicks({ customer_key: "c1" })).toBe(0);
    expect(await earlierClicks({ transaction_id: "before" })).toBe(0);
    expect(await earlierClicks({ transaction_id: "after" })).toBe(1);
  });
});
