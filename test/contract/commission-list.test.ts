import { beforeAll, describe, expect, test } from "vitest";
import type { WorldSettings } from "../../harness/world.ts";
import { sampled } from "../support/breadth.ts";
import { parseCsv } from "../support/parse-csv.ts";
import { at, daysAgo, inTestMode, programFixture } from "../support/program-fixture.ts";
import { type SalesFixture, salesFixture } from "../support/sales-fixture.ts";
import { sharedApi, sharedService } from "../support/shared-service.ts";
import { invalidFields, usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile();

interface Page {
  readonly data: {
    readonly id: number;
    readonly transactionId: string;
    readonly currency: string;
    readonly amountCents: number;
    readonly soldAt: string;
  }[];
  readonly meta: { readonly nextCursor: string | null };
}
interface Totals {
  readonly data: Record<string, unknown>[];
}

async function open(settings: WorldSettings = {}): Promise<SalesFixture> {
  const shop = salesFixture(programFixture(await people.world({ partners: [{}, {}], ...settings }), sharedApi()));
  await shop.refer("c1", { clickAt: daysAgo(30) });
  return shop;
}

const path = ({ world }: SalesFixture) => `/api/programs/${world.programId}/commissions`;
const list = async (shop: SalesFixture, query: string) => (await people.viewer.get<Page>(path(shop) + query)).body;
const orders = async (shop: SalesFixture, query: string) =>
  (await list(shop, query)).data.map(({ transactionId }) => transactionId);
const totals = async (shop: SalesFixture, query = "") =>
  (await people.viewer.get<Totals>(`${path(shop)}/totals${query}`)).body.data;
const total = (status: string, currency: string, count: number, amountCents: number, initialCents = amountCents) => ({
  ...{ status, reason: null, currency, count, amountCents, initialCents },
  ...{ unconfirmed: 0, unconfirmedCents: 0, held: 0, heldCents: 0 },
});
const dayOf = (instant: number) => at(instant).slice(0, 10);

/** Records sales in an order that differs from their dates, in two currencies. */
async function openMixed(): Promise<SalesFixture> {
  const shop = await open({ policies: [{ holdDays: 60 }] });
  const sell = (transaction_id: string, days: number, amount_cents: number, currency = "EUR") =>
    shop.sell({ transaction_id, occurred_at: at(daysAgo(days)), amount_cents, currency });
  await sell("today", 0, 3_000);
  await sell("older", 20, 9_000);
  await sell("dollars", 10, 1_000, "USD");
  await sell("old", 10, 6_000);
  return shop;
}

describe("the list of commissions", () => {
  let mixed: Awaited<ReturnType<typeof openMixed>>;
  beforeAll(async () => {
    mixed = await openMixed();
  });

  test.each([
    ["?sort=created&order=asc", ["today", "older", "dollars", "old"]],
    ["?sort=date", ["today", "old", "dollars", "older"]],
    ["?sort=date&order=asc", ["older", "dollars", "old", "today"]],
    ["?sort=amount", ["older", "old", "today", "dollars"]],
    ["?sort=amount&order=asc", ["today", "old", "older", "dollars"]],
    ["?sort=amount&currency=usd", ["dollars"]],
    [`?sort=date&dateFrom=${dayOf(daysAgo(10))}`, ["today", "old", "dollars"]],
    [`?dateTo=${dayOf(daysAgo(10))}`, ["old", "dollars", "older"]],
    [`?dateFrom=${dayOf(daysAgo(15))}&dateTo=${dayOf(daysAgo(5))}&sort=amount`, ["old", "dollars"]],
    ["?sort=date&customerKey=c1&currency=EUR", ["today", "old", "older"]],
    [`?sort=amount&transactionId=old&dateFrom=${dayOf(daysAgo(9))}`, []],
  ])("the list of commissions is sorted and filtered: %s", async (query, found) => {
    expect(await orders(mixed, query)).toEqual(found);
  });

  test("the list of commissions uses days in the program's time zone", async () => {
    const shop = await open({ program: { timezone: "Pacific/Auckland" } });
    const sold = `${dayOf(daysAgo(5))}T20:00:00Z`;
    await shop.sell({ transaction_id: "evening", occurred_at: sold });
    expect(await orders(shop, `?dateFrom=${dayOf(daysAgo(4))}&dateTo=${dayOf(daysAgo(4))}`)).toEqual(["evening"]);
    expect(await orders(shop, `?dateFrom=${dayOf(daysAgo(5))}&dateTo=${dayOf(daysAgo(5))}`)).toEqual([]);
  });

  test("the list of commissions can be filtered by the reason why commissions are void", async () => {
    const shop = await open();
    await shop.sell({ transaction_id: "organic", customer_key: "stranger" });
    await shop.sell({ transaction_id: "forged", customer_key: "c2", click_id: "forged" });
    expect(await orders(shop, "?status=void&reason=customer_not_found")).toEqual(["organic"]);
    expect(await orders(shop, "?status=void&reason=invalid_click_id&sort=date")).toEqual(["forged"]);
    expect(await orders(shop, "?reason=customer_not_found")).toEqual([]);
  });

  test.each(sampled(["created", "date", "amount"]))("commissions are paged by %s in both directions", async (sort) => {
    const shop = await open();
    const { body } = await shop.sell({ transaction_id: "first", amount_cents: 5_000 });
    await copySales(shop, body.sale_id, body.commission_id, 119);
    for (const order of ["desc", "asc"]) {
      const seen: Page["data"] = [];
      for (let query = `?sort=${sort}&order=${order}`; ; ) {
        const { data, meta } = await list(shop, query);
        seen.push(...data);
        if (meta.nextCursor === null) break;
        query = `?sort=${sort}&order=${order}&cursor=${meta.nextCursor}`;
      }
      expect(new Set(seen.map(({ id }) => id)).size).toBe(120);
      const key = { created: "id", date: "soldAt", amount: "amountCents" }[sort] as "id" | "soldAt" | "amountCents";
      const values = seen.map((row) => Number(new Date(row[key])));
      expect(values).toEqual(values.toSorted((a, b) => (order === "asc" ? a - b : b - a)));
    }
  });

  test("the list of commissions accepts a cursor only for the sort order it was returned for", async () => {
    const shop = await open();
    const { body } = await shop.sell({ transaction_id: "first" });
    await copySales(shop, body.sale_id, body.commission_id, 59);
    const { nextCursor } = (await list(shop, "?sort=date")).meta;
    for (const query of [`?cursor=${nextCursor}`, `?sort=date&order=asc&cursor=${nextCursor}`, "?cursor=x"]) {
      expect(invalidFields(await people.viewer.get(path(shop) + query))).toEqual(["cursor"]);
    }
  });

  test.each([
    ["test=include&saleId=x", ["saleId", "test"]],
    ["status=due", ["status"]],
    ["partnerId=alice", ["partnerId"]],
    ["format=xml", ["format"]],
    ["status=&partnerId=0&cursor=x&format=", ["status", "partnerId", "cursor", "format"]],
  ])("the list of commissions refuses the query %s", async (query, fields) => {
    const shop = await open();
    const reply = await people.viewer.get(`${path(shop)}?${query}`);
    expect([reply.status, invalidFields(reply)]).toEqual([400, fields]);
  });

  test("the list of commissions refuses an unknown sort, order, reason or currency, and an invalid day", async () => {
    const shop = await open();
    const wrong = "?sort=id&order=up&reason=none&currency=EU&dateFrom=soon&dateTo=2026-02-30&columns=all";
    const reply = await people.viewer.get(path(shop) + wrong);
    const fields = ["currency", "dateFrom", "dateTo", "reason", "sort", "order", "columns"];
    expect([reply.status, invalidFields(reply)]).toEqual([400, fields]);
    const crossed = await people.viewer.get(`${path(shop)}?dateFrom=2026-02-02&dateTo=2026-02-01`);
    expect([crossed.status, invalidFields(crossed)]).toEqual([400, ["dateFrom"]]);
  });
});

/** Inserts copies of a sale with its commission into the database: three at each instant, with repeated amounts. */
async function copySales(shop: SalesFixture, saleId: number, commissionId: number, count: number): Promise<void> {
  const base = 2 ** 47 + shop.world.programId;
  const copy = async (table: string, id: number, own: Record<string, string>) => {
    const { names } = await shop.row(`select group_concat(name, ',') as names from pragma_table_info('${table}')`);
    const replaced: Record<string, string> = { id: `${base} + n`, ...own };
    const columns = String(names).split(",");
    const values = columns.map((name) => replaced[name] ?? name);
    await shop.world.write({
      sql: `with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${count})
        insert into ${table} (${columns}) select ${values} from ${table}, numbers where ${table}.id = ?`,
      args: [id],
    });
  };
  const name = "'copy-' || n";
  const sold = "occurred_at - (n / 3) * 60000";
  await copy("sales", saleId, { transaction_id: name, operation_id: name, occurred_at: sold });
  await copy("commissions", commissionId, { sale_id: `${base} + n`, amount_cents: "n % 7", initial_cents: "n % 7" });
}

describe("the totals of commissions", () => {
  test("the totals of commissions sum the filtered commissions by status, reason and currency", async () => {
    const shop = await openMixed();
    await shop.refer("c2", { partner: shop.bob });
    const { body } = await shop.sell({ transaction_id: "Bob's", customer_key: "c2", amount_cents: 2_000 });
    await people.admin.post(`${path(shop)}/${body.commission_id}/reject`, { reason: "self-referral" });
    await shop.refund({ transaction_id: "older", refund_id: "r", refund_amount_cents: 4_500 });
    await shop.sell({ transaction_id: "organic", customer_key: "stranger" });
    await shop.sell({ transaction_id: "of a test", ...inTestMode });

    const organic = { ...total("void", "EUR", 1, 0), reason: "customer_not_found" };
    const dollars = total("pending", "USD", 1, 200);
    const euros = total("pending", "EUR", 3, 2_700, 3_600);
    const rejected = total("rejected", "EUR", 1, 0, 400);
    expect(await totals(shop)).toEqual([euros, dollars, rejected, organic]);
    expect(await totals(shop, `?partnerId=${shop.bob.id}`)).toEqual([rejected]);
    const week = `?dateFrom=${dayOf(daysAgo(12))}&dateTo=${dayOf(daysAgo(8))}`;
    expect(await totals(shop, week)).toEqual([total("pending", "EUR", 1, 1_200), dollars]);
    expect(await totals(shop, `${week}&partnerId=${shop.bob.id}`)).toEqual([]);
    expect(await totals(shop, "?test=only")).toEqual([{ ...total("void", "EUR", 1, 0), reason: "customer_not_found" }]);
  });

  test("the totals of commissions are refused for an invalid day or book", async () => {
    const shop = await open();
    const reply = await people.viewer.get(`${path(shop)}/totals?dateFrom=x&test=include&partnerId=alice`);
    expect([reply.status, invalidFields(reply)]).toEqual([400, ["partnerId", "dateFrom", "test"]]);
  });
});

describe("the accounting file of commissions", () => {
  const download = (shop: SalesFixture, query = "") =>
    people.viewer.get(`${path(shop)}?format=csv&columns=accounting${query}`, { checked: false });
  const linesOf = (text: string) => {
    const [head = [], ...lines] = parseCsv(text);
    return lines.map((line) => Object.fromEntries(head.map((name, i) => [name, line[i]])));
  };

  test("the accounting file of commissions has decimal amounts, dates in the program's time zone, and names", async () => {
    const shop = await open({ partners: [{ name: "Zoë Ltd" }, {}], policies: [{ rateBps: 1_250 }] });
    const sold = { amount_cents: 123_456, occurred_at: at(daysAgo(3)) };
    const { body } = await shop.sell({ transaction_id: "order-1", currency: "KWD", ...sold });
    await shop.refund({ transaction_id: "order-1", refund_id: "r", refund_amount_cents: 61_728 });
    await shop.sell({ transaction_id: "order-2", currency: "JPY", amount_cents: 800 });
    const [kuwait, japan] = linesOf((await download(shop, "&sort=date&order=asc")).text);
    expect(kuwait).toEqual({
      sale_date: dayOf(daysAgo(3)),
      order_id: "order-1",
      customer: "c1",
      partner_name: "Zoë Ltd",
      partner_code: shop.alice.code,
      sale_amount: "123.456",
      sale_currency: "KWD",
      sale_refunded: "61.728",
      currency: "KWD",
      rate_percent: "12.5",
      commission: "15.432",
      commission_net: "7.716",
      status: "pending",
      reason: "",
      approved_at: "",
      paid_at: "",
      payout_reference: "",
      commission_id: String(body.commission_id),
      sub: "",
      ref: expect.stringMatching(/^[A-Z2-7]{10}$/),
      correction: "",
      approved_date: "",
      paid_date: "",
      time_zone: "UTC",
    });
    expect(japan).toMatchObject({ sale_amount: "800", commission: "100", commission_net: "100" });
  });

  test.each(["accounting", "api"])(
    "the accounting file of commissions begins with a byte order mark, so that Excel reads it as UTF-8 (columns %s)",
    { tags: ["finding"] },
    async (columns) => {
      const shop = await open();
      const cookie = [...people.viewer.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
      const url = `${sharedService.url}${path(shop)}?format=csv&columns=${columns}`;
      const bytes = new Uint8Array(await (await fetch(url, { headers: { cookie } })).arrayBuffer());
      expect([...bytes.slice(0, 4)]).toEqual([0xef, 0xbb, 0xbf, 0x22]);
    },
  );

  test("the accounting file of commissions contains the approval date, and the reason why no commission is due", async () => {
    const shop = await open({ policies: [{ holdDays: 0, type: "flat", amountCents: 500, currency: "EUR" }] });
    await shop.sell({ transaction_id: '=cmd|"x"' });
    await shop.sell({ transaction_id: "organic", customer_key: "stranger" });
    const [approved] = linesOf((await download(shop)).text);
    expect(approved).toMatchObject({ order_id: `'=cmd|"x"`, status: "approved", rate_percent: "", commission: "5.00" });
    expect(approved?.approved_at).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/);
    const [organic] = linesOf((await download(shop, "&status=void")).text);
    expect(organic).toMatchObject({ partner_name: "", partner_code: "", reason: "customer_not_found" });
  });

  test("the accounting file of commissions contains the click's sub-id, like the list and the file with the API's columns", async () => {
    const shop = await open();
    const { click_id } = await shop.visit({ affiliate_url: `${shop.alice.landingUrl}&aff_sub=-news` });
    await shop.sell({ customer_key: "by the click", click_id });
    expect(linesOf((await download(shop)).text)).toMatchObject([{ sub: "'-news" }]);
    const { text } = await people.viewer.get(`${path(shop)}?format=csv`, { checked: false });
    expect(linesOf(text)).toMatchObject([{ source: "click", sub: "'-news" }]);
    const { body } = await people.viewer.get<{ data: readonly { sub: string }[] }>(path(shop));
    expect(body.data).toMatchObject([{ sub: "-news" }]);
  });

  test("the accounting file of commissions contains the payment date and payout, in the documented column order", async () => {
    const shop = await open({ policies: [{ holdDays: 0 }], program: { timezone: "Europe/Amsterdam" } });
    await shop.sell({ transaction_id: "paid" });
    const payouts = `/api/programs/${shop.world.programId}/payouts`;
    const draft = { currency: "EUR", reference: "November" };
    const { body } = await people.owner.post<{ data: { id: number } }>(payouts, draft);
    const payout = `${payouts}/${body.data.id}`;
    expect((await people.owner.post(`${payout}/finalize`, {})).status).toBe(200);
    const [reserved] = linesOf((await download(shop)).text);
    expect(reserved).toMatchObject({ status: "approved", paid_at: "", payout_reference: "" });
    // In Amsterdam, the program's time zone, this is the next day.
    const paidAt = `${dayOf(daysAgo(2))}T23:30:00.000Z`;
    expect((await people.owner.post(`${payout}/confirm`, { paidAt })).status).toBe(200);
    const { text } = await download(shop);
    const paid = { paid_at: paidAt, paid_date: dayOf(daysAgo(1)), time_zone: "Europe/Amsterdam" };
    expect(linesOf(text)).toMatchObject([{ status: "paid", payout_reference: "November", ...paid }]);
    const [head = []] = parseCsv(text);
    expect(head.slice(-11)).toEqual([
      "approved_at",
      "paid_at",
      "payout_reference",
      "commission_id",
      "sub",
      "ref",
      "correction",
      "approved_date",
      "paid_date",
      "time_zone",
      "sale_currency",
    ]);
  });

  test.each([
    ["Café “Nord” GmbH", "", "tributary-cafe-nord-gmbh-commissions.csv"],
    ["Shop", "&dateFrom=2026-02-01&dateTo=2026-02-28", "tributary-shop-commissions-2026-02.csv"],
    ["Shop", "&dateFrom=2026-02-01&dateTo=2026-03-31", "tributary-shop-commissions-2026-02-01-to-2026-03-31.csv"],
    ["Shop", "&dateFrom=2026-02-01", "tributary-shop-commissions-from-2026-02-01.csv"],
    ["Shop", "&dateTo=2026-02-01", "tributary-shop-commissions-to-2026-02-01.csv"],
    ["登山", "", /^tributary-program-\d+-commissions\.csv$/],
  ])("the accounting file's name contains the program %s and the period %s", async (name, query, file) => {
    const shop = await open({ program: { name } });
    const { headers } = await download(shop, query);
    const [, named] = /^attachment; filename="(.*)"$/.exec(headers.get("Content-Disposition") ?? "") ?? [];
    expect(named).toEqual(typeof file === "string" ? file : expect.stringMatching(file));
  });
});
