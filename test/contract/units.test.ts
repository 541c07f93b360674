import { describe, expect, test } from "vitest";
import type { Json, JsonObject } from "../../harness/client.ts";
import type { WorldSettings } from "../../harness/world.ts";
import { parseCsv } from "../support/parse-csv.ts";
import { payoutsFixture } from "../support/payouts-fixture.ts";
import { at, daysAgo } from "../support/program-fixture.ts";
import { simulations } from "../support/simulation-fixture.ts";
import { invalidFields, refusalOf, usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile();
const { resultOf, ask } = simulations(people);

const months = { code: "MONTHS", digits: 0, one: "free month", other: "free months" };
const credits = { code: "CREDIT", digits: 1, one: "credit", other: "credits" };
const inMonths = (amountCents: number, further: JsonObject = {}) => ({
  ...{ type: "flat", amountCents, unit: "MONTHS", scope: "lifetime", holdDays: 0 },
  ...further,
});

/** Opens a program with the given units, in which commissions have no hold. */
async function open(settings: WorldSettings = {}, units: readonly JsonObject[] = [months]) {
  const shop = await payoutsFixture(people, { policies: [], ...settings });
  const { world } = shop;
  const path = `/api/programs/${world.programId}`;
  const made = {
    ...shop,
    root: path,
    create: (unit: Json) => people.admin.post<{ data: JsonObject }>(`${path}/units`, unit),
    listed: async () => (await people.viewer.get<{ data: JsonObject[] }>(`${path}/units`)).body.data,
    setPolicy: (policy: JsonObject) => people.admin.put<{ data: JsonObject }>(`${path}/commission-policy`, policy),
    pay: (body: JsonObject) => shop.post("admin", "", body),
    adjustIn: (currency: string, amountCents: number, reference = currency) =>
      people.owner.post(`${path}/partners/${shop.alice.id}/adjustments`, {
        ...{ amountCents, currency, reason: "thanks", reference },
      }),
    explain: async (transactionId: string) =>
      (await people.viewer.get<Explained>(`/api/tracking/explain/${world.programId}?transactionId=${transactionId}`))
        .body,
  };
  for (const unit of units) expect((await made.create(unit)).status).toBe(201);
  return made;
}

interface Explained {
  readonly verdict: { readonly message: string; readonly currency: string; readonly commissionCents: number };
  readonly commission: { readonly calculation: readonly { readonly text: string; readonly currency: string }[] };
}

describe("units", () => {
  test("units such as free months are created once, listed, and recorded in the audit trail", async () => {
    const shop = await open({}, []);
    const created = await shop.create(months);
    expect([created.status, created.body.data]).toEqual([201, months]);
    const again = await shop.create(months);
    expect([again.status, again.body.data]).toEqual([200, months]);
    for (const other of [
      { ...months, digits: 1 },
      { ...months, one: "month" },
      { ...months, other: "months" },
    ]) {
      const taken = await shop.create(other);
      expect([taken.status, taken.body.error.details]).toEqual([409, { code: "unit_taken" }]);
    }
    await shop.create(credits);
    expect(await shop.listed()).toEqual([credits, months]);
    const byKey = await shop.api.request("GET", "/api/v1/programs/me/units", { key: shop.world.key });
    expect(byKey.body).toMatchObject({ data: [credits, months] });
    const { body } = await people.admin.get<{ data: JsonObject[] }>(`${shop.root}/audit`);
    expect(body.data.map(({ action, subject, after }) => [action, subject, after])).toEqual([
      ["unit.created", "unit CREDIT", credits],
      ["unit.created", "unit MONTHS", months],
    ]);
  });

  test("a program can have at most ten units, and they can't be changed in the database", async () => {
    const codes = Array.from({ length: 10 }, (_, i) => `UNIT${"ABCDEFGHIJ"[i]}`);
    const shop = await open(
      {},
      codes.map((code) => ({ ...months, code })),
    );
    const full = await shop.create(months);
    expect([refusalOf(full), full.body.error.details]).toEqual([
      "409 A program can have at most 10 units",
      { code: "units_full", limit: 10 },
    ]);
    expect((await shop.create({ ...months, code: "UNITA" })).status).toBe(200);
    const { programId } = shop.world;
    for (const sql of ["update units set digits = 2 where program_id = ?", "delete from units where program_id = ?"]) {
      await expect(shop.world.write({ sql, args: [programId] })).rejects.toThrow("units never change");
    }
  });

  test.each<[Json, string]>([
    [{ code: "EUR" }, "code"],
    [{ code: "months" }, "code"],
    [{ code: "MONTHSMONTHSM" }, "code"],
    [{ code: "MONTH1" }, "code"],
    [{ digits: 5 }, "digits"],
    [{ digits: -1 }, "digits"],
    [{ digits: 0.5 }, "digits"],
    [{ one: "" }, "one"],
    [{ one: "evil.example" }, "one"],
    [{ other: "x".repeat(41) }, "other"],
    [{ other: null }, "other"],
  ])("units are refused with %j", async (wrong, field) => {
    const shop = await open({}, []);
    const refused = await shop.create({ ...months, ...(wrong as JsonObject) });
    expect([refused.status, invalidFields(refused)]).toEqual([400, [field]]);
    expect(await shop.listed()).toEqual([]);
  });
});

describe("a policy in a unit", () => {
  test("a policy in a unit pays its amount for sales in any currency, and its rules' amounts for each piece", async () => {
    const shop = await open();
    const rules = [
      { when: { productIds: ["pro"] }, amountCents: 2 },
      { when: { productIds: ["gift"] }, excluded: true },
    ];
    const set = await shop.setPolicy(inMonths(1, { rules }));
    expect([set.status, set.body.data.unit, set.body.data.currency]).toEqual([200, "MONTHS", null]);
    const earned = async (body: JsonObject) => (await shop.sell(body)).body.commission;
    await shop.refer("c1");
    expect(await earned({ currency: "USD" })).toMatchObject({
      amount_cents: 1,
      currency: "MONTHS",
      status: "approved",
    });
    expect(await earned({ currency: "JPY" })).toMatchObject({ amount_cents: 1, currency: "MONTHS" });
    const items = [
      { product_id: "pro", amount_cents: 600, quantity: 3 },
      { product_id: "other", amount_cents: 400 },
    ];
    expect(await earned({ items })).toMatchObject({ amount_cents: 7, currency: "MONTHS" });
    expect(await earned({ product_id: "gift" })).toMatchObject({ amount_cents: 0, currency: "MONTHS", status: "void" });
  });

  test("a policy in a unit can have a minimum sale in a currency, and pays nothing for sales in other currencies", async () => {
    const shop = await open();
    const set = await shop.setPolicy(inMonths(1, { minSaleCents: 1_000 }));
    expect(set.body.data).toMatchObject({ currency: "EUR", unit: "MONTHS", minSaleCents: 1_000 });
    await shop.refer("c1");
    expect((await shop.sell({ currency: "USD" })).body).toMatchObject({ reason: "currency_mismatch" });
    expect((await shop.sell({ amount_cents: 999 })).body).toMatchObject({ reason: "below_minimum" });
    expect((await shop.sell({ amount_cents: 1_000 })).body.commission).toMatchObject({ amount_cents: 1 });
  });

  test.each<[JsonObject, string]>([
    [{ unit: "CREDIT" }, "unit"],
    [{ unit: "EUR" }, "unit"],
    [{ type: "percent", rateBps: 1_000, amountCents: undefined }, "unit"],
    [{ maxCommissionCents: 5 }, "maxCommissionCents"],
    [{ rules: [{ when: {}, rateBps: 1_000 }] }, "rules"],
  ])("a policy in a unit refuses %j", async (wrong, field) => {
    const shop = await open();
    const policy = inMonths(1, wrong);
    const refused = await shop.setPolicy(policy);
    expect([refused.status, invalidFields(refused)]).toEqual([400, [field]]);
    expect((await ask(shop.world, policy)).status).toBe(400);
  });

  test("a policy in a unit gets no new version if it is set with the same terms", async () => {
    const shop = await open();
    const first = await shop.setPolicy(inMonths(1));
    expect((await shop.setPolicy(inMonths(1))).body.data.version).toBe(first.body.data.version);
    expect((await shop.setPolicy(inMonths(2))).body.data.version).toBe(Number(first.body.data.version) + 1);
  });

  test("a policy in a unit is described and explained with the words of the unit", async () => {
    const shop = await open({}, [months, credits]);
    await shop.setPolicy(inMonths(2));
    await shop.refer("c1");
    await shop.sell({ transaction_id: "t" });
    const { verdict, commission } = await shop.explain("t");
    expect(verdict).toMatchObject({ currency: "MONTHS", commissionCents: 2 });
    expect(verdict.message).toContain("earned 2 free months on this sale");
    expect(commission.calculation.map(({ text, currency }) => [text, currency])).toEqual([
      ["Sale of €10.00", "EUR"],
      ["Flat commission of 2 free months", "MONTHS"],
    ]);
    const sums = await people.viewer.get<{ data: JsonObject[] }>(`${shop.root}/customers`);
    expect(sums.body.data[0]).toMatchObject({
      sums: [
        { currency: "EUR", amountCents: 1_000, commissionCents: 0 },
        { currency: "MONTHS", amountCents: 0, commissionCents: 2 },
      ],
    });
  });
});

describe("amounts in a unit", () => {
  test("amounts in a unit are refunded in shares that are rounded half up", async () => {
    const shop = await open();
    await shop.setPolicy(inMonths(1));
    await shop.refer("c1");
    const { body } = await shop.sell({ transaction_id: "t" });
    await shop.giveBack("t", { refund_amount_cents: 500 });
    expect(await shop.entries(Number(body.commission_id))).toEqual([["earned", 1]]);
    await shop.giveBack("t", { refund_amount_cents: 1 });
    expect(await shop.entries(Number(body.commission_id))).toEqual([
      ["earned", 1],
      ["reversed", -1],
    ]);
  });

  test("amounts in a unit can be adjusted, paid, failed and listed on statements like amounts in a currency", async () => {
    const shop = await open();
    await shop.setPolicy(inMonths(1));
    await shop.refer("c1");
    await shop.sell();
    expect((await shop.adjustIn("MONTHS", 2)).status).toBe(201);
    expect((await shop.adjustIn("EUR", 150)).status).toBe(201);
    const unknown = await shop.adjustIn("CREDIT", 2);
    expect([unknown.status, invalidFields(unknown)]).toEqual([400, ["currency"]]);
    expect((await shop.pay({ currency: "CREDIT" })).status).toBe(400);
    const { id, lines } = (await shop.pay({ currency: "MONTHS" })).body.data;
    expect(lines).toMatchObject([
      { partnerId: shop.alice.id, amountCents: 3, commissionsCents: 1, adjustmentsCents: 2 },
    ]);
    await shop.finalize(id);
    for (const format of ["paypal", "wise", "sepa"]) {
      const file = await people.owner.get(`${shop.path}/${id}?format=${format}`);
      expect([file.status, file.body.error.details.code]).toEqual([409, "nothing_for_format"]);
    }
    const list = await people.owner.get(`${shop.path}/${id}?format=csv`);
    expect(parseCsv(list.text)[1]?.slice(5, 7)).toEqual(["3", "MONTHS"]);
    await shop.confirm(id);
    await shop.fail(id, shop.alice.id);
    const statement = await people.owner.get<{ data: JsonObject; meta: JsonObject }>(
      `${shop.root}/partners/${shop.alice.id}/statement?currency=MONTHS`,
    );
    expect(statement.body.data).toMatchObject({ currency: "MONTHS", closingCents: 3, paidCents: 0 });
    expect(statement.body.meta).toMatchObject({ otherCurrencies: ["EUR"] });
    const file = await people.owner.get(`${shop.root}/partners/${shop.alice.id}/statement?currency=MONTHS&format=csv`);
    expect(file.text).not.toContain("3.00");
    expect(parseCsv(file.text).at(-1)).toContain("3");
    const balances = await people.owner.get(`${shop.root}/balances?currency=MONTHS&format=csv`);
    expect(parseCsv(balances.text)[1]).toEqual(expect.arrayContaining(["3", "MONTHS"]));
  });

  test("amounts in a unit are imported with the decimals of the unit", async () => {
    const shop = await open({}, [months, credits]);
    const row = (line: number, currency: string, amount: string) => ({
      ...{ line, partner_code: shop.alice.code, currency, amount, reference: `r${line}` },
    });
    const rows = [row(1, "CREDIT", "1.5"), row(2, "MONTHS", "2"), row(3, "MONTHS", "2.5"), row(4, "POINTS", "2")];
    const imported = await people.owner.post<{ data: { rows: JsonObject[] } }>(`${shop.root}/imports/rows`, {
      ...{ kind: "balances", source: "before", rows },
    });
    expect(imported.body.data.rows).toMatchObject([
      { line: 1, result: "created" },
      { line: 2, result: "created" },
      { line: 3, result: "refused", field: "amount" },
      { line: 4, result: "refused", field: "currency" },
    ]);
    expect(await shop.balances()).toMatchObject([
      { currency: "CREDIT", payable_cents: 15 },
      { currency: "MONTHS", payable_cents: 2 },
    ]);
  });

  test("a unit isn't accepted as the currency of a sale or a program", async () => {
    const shop = await open();
    expect((await shop.sell({ currency: "MONTHS" })).status).toBe(400);
    const changed = await people.owner.patch(shop.root, { currency: "MONTHS" });
    expect([changed.status, invalidFields(changed)]).toEqual([400, ["currency"]]);
  });

  test("the performance report lists a unit among the program's other currencies, and its amounts can be selected", async () => {
    const shop = await open();
    await shop.setPolicy(inMonths(3));
    await shop.refer("c1");
    await shop.sell();
    const figures = async (query: string) =>
      (
        await people.viewer.get<{ metrics: JsonObject; meta: JsonObject }>(
          `/api/tracking/performance/${shop.world.programId}?${query}`,
        )
      ).body;
    expect((await figures("")).meta).toMatchObject({ currency: "EUR", otherCurrencies: ["MONTHS"] });
    expect((await figures("currency=months")).metrics).toMatchObject({ totalCommissionCents: 3, totalRevenueCents: 0 });
    const unknown = await people.viewer.get(`/api/tracking/performance/${shop.world.programId}?currency=CREDIT`);
    expect([unknown.status, invalidFields(unknown)]).toEqual([400, ["currency"]]);
  });
});

describe("a commission that is decided again", () => {
  test("a commission that moves to another partner changes from a currency to the unit of that partner's policy", async () => {
    const shop = await open({
      policies: [{ holdDays: 15, rateBps: 2_000 }],
      program: { leadAuth: "browser_allowed" },
    });
    await shop.setPolicy({ ...inMonths(2, { holdDays: 15 }), partnerId: shop.bob.id });
    await shop.browserLead({ customer_key: "c1", click_id: shop.click(shop.alice, daysAgo(2)) });
    const { body } = await shop.sell({ transaction_id: "t" });
    expect(body.commission).toMatchObject({ amount_cents: 200, currency: "EUR" });
    await shop.lead({ customer_key: "c1", click_id: shop.click(shop.bob, daysAgo(1)), occurred_at: at(daysAgo(1)) });
    const entries = await shop.all("ledger_entries");
    expect(
      entries.map(({ kind, amount_cents, currency, partner_id }) => [kind, amount_cents, currency, partner_id]),
    ).toEqual([
      ["earned", 200, "EUR", shop.alice.id],
      ["moved", -200, "EUR", shop.alice.id],
      ["moved", 2, "MONTHS", shop.bob.id],
    ]);
    expect(await shop.commission(Number(body.commission_id))).toMatchObject({ amount_cents: 2, currency: "MONTHS" });
    expect(await shop.balances()).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ partner_id: shop.alice.id, currency: "EUR", pending_cents: 0 }),
        expect.objectContaining({ partner_id: shop.bob.id, currency: "MONTHS", pending_cents: 2 }),
      ]),
    );
  });

  test("a correction of a sale keeps its commission in the unit", async () => {
    const shop = await open();
    await shop.setPolicy(inMonths(1, { minSaleCents: 1_000 }));
    await shop.refer("c1");
    const { body } = await shop.sell({ transaction_id: "t" });
    const corrected = await people.admin.post<{ data: { before: JsonObject; after: JsonObject } }>(
      `${shop.root}/sales/${body.sale_id}/correct`,
      { amountCents: 500, reason: "typo" },
    );
    expect(corrected.body.data.after.commission).toMatchObject({ amountCents: 0, currency: "MONTHS" });
    expect(await shop.balances()).toMatchObject([{ currency: "MONTHS", payable_cents: 0 }]);
  });

  test("a simulation has one row for each currency or unit", async () => {
    const shop = await open({ policies: [{ holdDays: 0, rateBps: 2_000 }] });
    await shop.refer("c1");
    await shop.sell();
    await shop.sell();
    const { rows, totals } = await resultOf(shop.world, inMonths(1));
    expect(totals).toEqual([
      { currency: "EUR", sales: 2, wasCents: 400, todayCents: 400, wouldBeCents: 0 },
      { currency: "MONTHS", sales: 2, wasCents: 0, todayCents: 0, wouldBeCents: 2 },
    ]);
    expect(rows).toHaveLength(2);
    await shop.setPolicy(inMonths(1));
    await shop.sell();
    const { version } = (await shop.setPolicy(inMonths(2))).body.data;
    expect(Number(version)).toBe(3);
  });
});
