import { describe, expect, it } from "vitest";
import { askExplain, explained, messageOf } from "../support/explain.ts";
import { at, daysAgo, inTestMode, programFixture } from "../support/program-fixture.ts";
import { createSalesFixture, type SalesFixture, salesFixture } from "../support/sales-fixture.ts";
import { sharedApi } from "../support/shared-service.ts";
import { usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile();

const ask = (shop: SalesFixture, query: Parameters<typeof askExplain>[1], key = shop.world.key) =>
  askExplain(shop.api, query, { key });

/** A customer of Alice with a sale of 49.00, refunded by 10.00. */
async function story() {
  const shop = await createSalesFixture({ policies: [{ rateBps: 2_050, holdDays: 30 }] });
  const click_id = shop.click(shop.alice, daysAgo(3));
  const { lead_id } = await shop.lead({ customer_key: "c1", click_id, occurred_at: at(daysAgo(2)) });
  const { body: sale } = await shop.sell({
    transaction_id: "t",
    amount_cents: 4_901,
    occurred_at: at(daysAgo(1)),
  });
  await shop.giveBack("t", { refund_id: "r1", refund_amount_cents: 1_000, refund_reason: "damaged" });
  return { shop, click_id, lead_id, sale };
}

describe("an explanation of a sale", () => {
  it("the explanation of a sale has the sale's events, click, calculation and ledger entries", async () => {
    const { shop, click_id, lead_id, sale } = await story();
    const { alice } = shop;
    const whole = await explained(shop, { transaction_id: "t" });
    expect(whole).toMatchObject({
      subject: { type: "sale", id: sale.sale_id },
      verdict: {
        ...{ attributed: true, partner_code: alice.code, commission_cents: 800, currency: "EUR", status: "pending" },
        ...{ reason: null, sales: 1 },
        message: expect.stringMatching(
          `^Partner ${alice.code} earned €8.00 on this sale; it can be paid out from \\d+ `,
        ),
        sums: [
          {
            ...{ currency: "EUR", sales: 1, attributed_sales: 1 },
            ...{ amount_cents: 4_901, refunded_cents: 1_000, commission_cents: 800 },
          },
        ],
      },
      customer: { customer_key: "c1", evidence: "key", locked_since: expect.any(String) },
      events: [
        { type: "click", id: click_id, occurred_at: at(daysAgo(3)), received_at: null, partner_code: alice.code },
        { type: "lead", id: lead_id, occurred_at: at(daysAgo(2)), click_id, customer_key: "c1" },
        { type: "sale", id: sale.sale_id, occurred_at: at(daysAgo(1)), transaction_id: "t", amount_cents: 4_901 },
        { type: "refund", refund_id: "r1", refunded_cents: 1_000, refund_reason: "damaged" },
      ],
      next_cursor: null,
      candidates: [
        { click_id, at: at(daysAgo(3)), partner_code: alice.code, outcome: "chosen", age_days: 1, window_days: 60 },
      ],
      earlier_clicks: 0,
      missing: [],
      settings_then: {
        ...{ model: "last_click", window_days: 60, window_until: "lead", policy_version: 1, partner_status: "active" },
        policy_group: null,
      },
      settings_now: null,
    });
    expect(whole.commission).toMatchObject({
      id: sale.commission_id,
      status: "pending",
      partner_code: alice.code,
      policy_version: 1,
      hold_until: sale.commission.hold_until,
      calculation: [
        { step: "base", text: "Sale of €49.01", cents: 4_901 },
        { step: "rate", text: "20.5% of €49.01 = €10.04705", cents: 1_004 },
        { step: "rounding", text: "Rounded half up to €10.05", cents: 1_005 },
        { step: "refund", text: '€2.05 less for refund "r1"', cents: 800 },
      ],
      entries: [
        { kind: "earned", amount_cents: 1_005, stands_for: { type: "sale", id: "t" }, by: { type: "api_key" } },
        { kind: "reversed", amount_cents: -205, stands_for: { type: "refund", id: "r1" }, by: { type: "api_key" } },
      ],
    });
  });

  it("the explanation of a sale is the same by transaction_id, sale_id and commission_id", async () => {
    const { shop, sale } = await story();
    const { subject, ...byTransaction } = await explained(shop, { transaction_id: "t" });
    expect(await explained(shop, { sale_id: sale.sale_id })).toEqual({ subject, ...byTransaction });
    const { subject: commission, ...byCommission } = await explained(shop, { commission_id: sale.commission_id });
    expect(commission).toEqual({ type: "commission", id: sale.commission_id });
    expect(byCommission).toEqual(byTransaction);
  });

  it("the explanation of a sale shows the amount of a single refund", async () => {
    const { shop } = await story();
    const { subject, verdict } = await explained(shop, { transaction_id: "t", refund_id: "r1" });
    expect(subject).toEqual({ type: "refund", id: "r1" });
    expect(verdict.message).toBe(
      `Refund "r1" returned €10.00 of this sale and took €2.05 from the commission of partner ${shop.alice.code}, which is now €8.00.`,
    );
  });

  it("the explanation of a sale shows that a canceled refund deducts nothing", async () => {
    const { shop } = await story();
    await shop.giveBack("t", { refund_id: "r1", cancel: true });
    await shop.giveBack("t", { refund_id: "early", cancel: true });
    for (const refund_id of ["r1", "early"]) {
      const { verdict } = await explained(shop, { transaction_id: "t", refund_id });
      expect(verdict.message).toBe(
        `Refund "${refund_id}" was canceled and takes nothing from this sale. The commission of partner ${shop.alice.code} on this sale is €10.05.`,
      );
    }
  });
});

describe("an explanation of a click, a lead or a customer", () => {
  it("the explanation of a click, a lead or a customer has the sum of its sales per currency", async () => {
    const { shop, click_id, lead_id } = await story();
    await shop.sell({ transaction_id: "u", amount_cents: 2_000, currency: "USD" });
    const sums = [
      {
        currency: "EUR",
        sales: 1,
        attributed_sales: 1,
        amount_cents: 4_901,
        refunded_cents: 1_000,
        commission_cents: 800,
      },
      { currency: "USD", sales: 1, attributed_sales: 1, amount_cents: 2_000, refunded_cents: 0, commission_cents: 410 },
    ];
    for (const query of [{ click_id }, { lead_id }, { customer_key: "c1" }]) {
      const { verdict, commission, events } = await explained(shop, query);
      const several = { commission_cents: null, currency: null, status: null, sales: 2, sums };
      expect(verdict).toMatchObject({ attributed: true, partner_code: shop.alice.code, reason: null, ...several });
      expect(verdict.message).toContain("2 sales, with a commission of €8.00 and $4.10 in all");
      expect(commission).toBeNull();
      expect(events.map(({ type }) => type)).toEqual(["click", "lead", "sale", "refund", "sale"]);
    }
  });

  it("the explanation of a click or customer with a single sale has that sale's commission", async () => {
    const { shop, click_id, sale } = await story();
    for (const query of [{ click_id }, { customer_key: "c1" }]) {
      const { verdict, commission } = await explained(shop, query);
      expect(verdict).toMatchObject({ status: "pending", commission_cents: 800, currency: "EUR", sales: 1 });
      expect(commission?.id).toBe(sale.commission_id);
    }
  });

  it("the explanation of a click without a customer says that the click waits for a lead", async () => {
    const shop = await createSalesFixture();
    const { click_id } = await shop.visit();
    const { verdict, events, customer, missing } = await explained(shop, { click_id });
    expect(verdict).toMatchObject({ attributed: false, partner_code: shop.alice.code, reason: "not_shown" });
    expect(events).toMatchObject([{ type: "click", id: click_id, channel: "server" }]);
    expect(customer).toBeNull();
    expect(missing).toMatchObject([{ code: "not_shown" }]);
  });

  it.each([
    ["first_click", "newer", 3],
    ["first_click", "after_the_event", 8],
    ["last_click", "older", 8],
    ["last_click", "after_the_event", 3],
  ] as const)(
    "with the model %s, an explanation labels a click sent after the decision as %s",
    async (attributionModel, outcome, days) => {
      const shop = await createSalesFixture({ program: { attributionModel } });
      await shop.lead({ customer_key: "c1", click_id: shop.click(shop.alice, daysAgo(5)) });
      await shop.sell();
      const shownLater = shop.click(shop.bob, daysAgo(days));
      await shop.lead({ customer_key: "c1", click_id: shownLater });
      const { verdict, candidates } = await explained(shop, { click_id: shownLater });
      expect(verdict).toMatchObject({ attributed: false, partner_code: shop.bob.code, reason: outcome });
      expect(candidates).toMatchObject([{ click_id: shownLater, outcome }]);
      await shop.sell({ transaction_id: "showing", customer_key: "c1", click_id: shownLater });
      expect((await explained(shop, { transaction_id: "showing" })).candidates).toMatchObject([
        { outcome: "chosen", partner_code: shop.alice.code },
        { click_id: shownLater, outcome },
      ]);
    },
  );

  it("the explanation of a click sent by a browser for an attributed customer says why the click has no effect", async () => {
    const shop = await createSalesFixture();
    await shop.refer("c1");
    const { click_id } = await shop.visit({ affiliate_url: shop.bob.landingUrl });
    await shop.browserLead({ customer_key: "c1", click_id });
    const { verdict, missing } = await explained(shop, { click_id });
    expect(verdict.message).toMatch(/\(a browser's lead for a known customer isn't recorded\)\.$/);
    expect(missing[0]?.remedy).toContain("For a known customer, send that lead from your server");
  });

  it("the explanation of a click says why another click was chosen", async () => {
    const shop = await createSalesFixture();
    const [lost, taken] = [shop.click(shop.bob, daysAgo(5)), shop.click(shop.alice, daysAgo(2))];
    await shop.lead({ customer_key: "c1", click_id: taken, click_ids: [lost] });
    await shop.sell();
    const { verdict, candidates, events } = await explained(shop, { click_id: lost });
    expect(verdict).toMatchObject({ attributed: false, partner_code: shop.bob.code, reason: "older", sales: 0 });
    expect(candidates).toMatchObject([{ click_id: lost, outcome: "older", age_days: 5, window_days: 60 }]);
    expect(events.map(({ type }) => type)).toEqual(["click", "lead"]);
  });
});

describe("settings in an explanation", () => {
  it("an explanation contains the settings that applied at the decision, and the current settings that differ", async () => {
    const world = await people.world({ partners: [{}, {}] });
    const shop = salesFixture(programFixture(world, sharedApi()));
    await shop.refer("c1");
    const { body: sale } = await shop.sell();
    const program = `/api/programs/${world.programId}`;
    const changes = { attributionWindowDays: 30, attributionModel: "first_click" };
    expect((await people.admin.patch(program, changes)).status).toBe(200);
    const paused = await people.admin.patch(`${program}/partners/${shop.alice.id}`, { status: "paused" });
    expect(paused.status).toBe(200);
    const policy = { type: "flat", amountCents: 100, currency: "EUR", scope: "lifetime" };
    expect((await people.admin.put(`${program}/commission-policy`, policy)).status).toBe(200);
    const { settings_then, settings_now, verdict } = await explained(shop, { sale_id: sale.sale_id });
    expect(settings_then).toMatchObject({ model: "last_click", window_days: 60, partner_status: "active" });
    expect(settings_now).toEqual({
      ...{ model: "first_click", window_days: 30, policy_version: 2, partner_status: "paused" },
    });
    expect(verdict.commission_cents).toBe(200);
  });
});

describe("a request for an explanation", () => {
  const message = "400 Send exactly one of click_id, lead_id, sale_id, commission_id, transaction_id and customer_key";

  it.each([
    ["no id", {}, message],
    ["two ids", { transaction_id: "t", customer_key: "c" }, message],
    ["a refund without its sale", { customer_key: "c", refund_id: "r" }, "400 refund_id needs transaction_id"],
    ["an invalid id", { sale_id: "x" }, "400 sale_id must be a positive integer"],
    ["an invalid cursor", { sale_id: 1, cursor: "x" }, "400 cursor must be a next_cursor from a previous page"],
    ["an invalid test mode", { sale_id: 1, test_mode: "yes" }, "400 test_mode must be true or false"],
  ])("a request for an explanation is refused for %s", async (_, query, expected) => {
    expect(messageOf(await ask(await createSalesFixture(), query))).toBe(expected);
  });

  it.each([
    ["click_id", "abc", "404 No click has this click_id."],
    ["lead_id", 999_999_999, "404 No lead has this lead_id."],
    ["sale_id", 999_999_999, "404 No sale has this sale_id."],
    ["commission_id", 999_999_999, "404 No commission has this commission_id."],
    ["transaction_id", "t", "404 No sale has this transaction_id."],
    ["customer_key", "c", "404 No customer has this customer_key."],
  ])("a request for an explanation is refused for an unknown %s", async (name, value, expected) => {
    const shop = await createSalesFixture();
    expect(messageOf(await ask(shop, { [name]: value }))).toBe(expected);
  });

  it("a request for an explanation is refused for an unknown refund of a known sale", async () => {
    const shop = await createSalesFixture();
    await shop.sell({ transaction_id: "t" });
    const reply = await ask(shop, { transaction_id: "t", refund_id: "r" });
    expect(messageOf(reply)).toBe("404 No refund of this sale has this refund_id.");
  });

  it("a request for an explanation is refused for an object that exists only in the other book (live or test), and the refusal says so", async () => {
    const shop = await createSalesFixture();
    await shop.sell({ transaction_id: "t", ...inTestMode });
    await shop.sell({ transaction_id: "live" });
    const inTest = { test_mode: true };
    expect(messageOf(await ask(shop, { transaction_id: "t" }))).toBe(
      "404 No sale has this transaction_id. A test sale has this transaction_id.",
    );
    expect(messageOf(await ask(shop, { transaction_id: "live", ...inTest }))).toBe(
      "404 No test sale has this transaction_id. A live sale has this transaction_id.",
    );
    expect((await explained(shop, { transaction_id: "t", ...inTest })).subject.type).toBe("sale");
  });
});

describe("an explanation", () => {
  it("an explanation reveals no data of another program to a key, in either book", async () => {
    const { shop, click_id, lead_id, sale } = await story();
    const other = await createSalesFixture();
    for (const query of [
      { click_id },
      { lead_id },
      { sale_id: sale.sale_id },
      { commission_id: sale.commission_id },
      { transaction_id: "t" },
      { customer_key: "c1" },
    ]) {
      for (const test_mode of [false, true]) {
        const reply = await ask(shop, { ...query, test_mode }, other.world.key);
        expect(messageOf(reply)).toMatch(/^404 No [\w ]+ has this \w+\.$/);
      }
    }
  });

  it("an explanation is refused for a missing key, a wrong key and a session", async () => {
    const { shop } = await story();
    const query = { transaction_id: "t" };
    expect((await askExplain(shop.api, query)).status).toBe(401);
    const wrong = `${shop.world.key.slice(0, -6)}AAAAAA`;
    expect(messageOf(await ask(shop, query, wrong))).toBe("401 Invalid API token");
    const cookie = [...people.owner.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    expect((await askExplain(shop.api, query, { headers: { cookie } })).status).toBe(401);
  });
});
