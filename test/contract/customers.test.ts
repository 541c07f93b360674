import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../harness/client.ts";
import type { World } from "../../harness/world.ts";
import { parseCsv } from "../support/parse-csv.ts";
import { at, daysAgo, inTestMode, type ProgramFixture, programFixture } from "../support/program-fixture.ts";
import { sharedApi } from "../support/shared-service.ts";
import { invalidFields, usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile("stranger");

interface List {
  readonly data: JsonObject[];
  readonly meta: { readonly next_cursor: string | null };
}

const list = ({ key }: Pick<World, "key">, query = "", isChecked = true) =>
  sharedApi().request<List>("GET", `/api/v1/programs/me/customers${query}`, { key, checked: isChecked });

async function keysOf(world: World, query = ""): Promise<unknown[]> {
  const { status, text, body } = await list(world, query);
  expect(status, text).toBe(200);
  return body.data.map((row) => row.customer_key);
}

const path = ({ programId }: Pick<World, "programId">) => `/api/programs/${programId}/customers`;
const withQuery = (query: Readonly<Record<string, string>>) => `?${new URLSearchParams(query)}`;

async function opened(settings?: Parameters<typeof people.world>[0]): Promise<ProgramFixture> {
  const world = await people.world({ partners: [{}, {}], policies: [{ rateBps: 2_000 }], ...settings });
  return programFixture(world, sharedApi());
}

/** Records customers of Alice, of Bob by his coupon, and of no partner, and one whom only a click identifies. */
async function sold() {
  const shop = await opened({ coupons: [{ codes: ["BOB10"], partner: 1 }] });
  const { alice, world } = shop;
  await shop.lead({ customer_key: "cus_1", click_id: shop.click(alice), email: "Ann@Example.com" });
  await shop.sale({ transaction_id: "a1", customer_key: "cus_1", amount_cents: 4_900 });
  await shop.sale({ transaction_id: "a2", customer_key: "cus_1", amount_cents: 1_000, currency: "USD" });
  await shop.refund({ transaction_id: "a1", refund_id: "r", refund_amount_cents: 900 });
  await shop.sale({ transaction_id: "b1", customer_key: "cus_2", amount_cents: 2_000, coupon_codes: ["bob10"] });
  await shop.sale({ transaction_id: "o1", customer_key: "Organic@Example.com", amount_cents: 700 });
  await shop.lead({ click_id: shop.click(alice) });
  await shop.sale({ transaction_id: "tried", customer_key: "test_1", ...inTestMode });
  return { ...shop, world };
}

const euros = (amount_cents: number, refunded_cents: number, commission_cents: number, currency = "EUR") => ({
  ...{ currency, amount_cents, refunded_cents, commission_cents },
});

describe("customers", () => {
  test("customers are listed newest first with the sums of their attributed sales by currency", async () => {
    const { world, alice, bob } = await sold();
    const { body } = await list(world);
    const instant = expect.any(String);
    expect(body).toEqual({
      data: [
        {
          ...{ customer_key: null, partner_code: alice.code, source: "click", since: instant, locked: false },
          ...{ known_since: instant, first_sale_at: null, sales: 0, other_sales: 0, sums: [], partial: false },
        },
        {
          ...{ customer_key: "Organic@Example.com", partner_code: null, source: null, since: null, locked: false },
          ...{ known_since: instant, first_sale_at: instant, sales: 0, other_sales: 1, sums: [], partial: false },
        },
        {
          ...{ customer_key: "cus_2", partner_code: bob.code, source: "coupon", since: instant, locked: false },
          ...{ known_since: instant, first_sale_at: instant, sales: 1, other_sales: 0, partial: false },
          sums: [euros(2_000, 0, 400)],
        },
        {
          ...{ customer_key: "cus_1", partner_code: alice.code, source: "click", since: instant, locked: true },
          ...{ known_since: instant, first_sale_at: instant, sales: 2, other_sales: 0, partial: false },
          sums: [euros(4_900, 900, 800), euros(1_000, 0, 200, "USD")],
        },
      ],
      meta: { next_cursor: null },
    });
    const { body: shown } = await people.viewer.get<{ data: JsonObject[]; meta: JsonObject }>(path(world));
    expect(shown.meta).toEqual({ nextCursor: null });
    expect(shown.data[3]).toMatchObject({
      ...{ customerKey: "cus_1", knownSince: body.data[3]?.known_since, otherSales: 0, partial: false },
      sums: [{ currency: "EUR", amountCents: 4_900, refundedCents: 900, commissionCents: 800 }, { currency: "USD" }],
    });
  });

  test("customers can be filtered, and filters are combined", async () => {
    const { world, alice, bob } = await sold();
    const found = (query: Readonly<Record<string, string>>) => keysOf(world, withQuery(query));
    const [organic, ofBob, ofAlice] = ["Organic@Example.com", "cus_2", "cus_1"];
    expect(await found({ customer_key: "cus_1" })).toEqual([ofAlice]);
    expect(await found({ customer_key: "cus_" })).toEqual([]);
    expect(await found({ partner_code: alice.code.toUpperCase() })).toEqual([null, ofAlice]);
    expect(await found({ partner_code: bob.code })).toEqual([ofBob]);
    expect(await found({ partner_code: "unknown" })).toEqual([]);
    expect(await found({ source: "coupon" })).toEqual([ofBob]);
    expect(await found({ attributed: "true" })).toEqual([null, ofBob, ofAlice]);
    expect(await found({ attributed: "false" })).toEqual([organic]);
    expect(await found({ has_sale: "true" })).toEqual([organic, ofBob, ofAlice]);
    expect(await found({ has_sale: "false", attributed: "true" })).toEqual([null]);
    expect(await found({ from: at(daysAgo(1)) })).toHaveLength(4);
    expect(await found({ to: at(daysAgo(1)) })).toEqual([]);
    expect(await found({ q: "cus_" })).toEqual([ofBob, ofAlice]);
    expect(await found({ q: "CUS_" })).toEqual([]);
    expect(await found({ q: " ann@example.COM " })).toEqual([ofAlice]);
    expect(await found({ q: "ann@example" })).toEqual([]);
    expect(await found({ q: "organic@example.com" })).toEqual([organic]);
    await programFixture(world, sharedApi()).sale({ transaction_id: "l", customer_key: "low@example.com" });
    expect(await found({ q: "Low@Example.com" })).toEqual(["low@example.com"]);
    expect(await found({ q: "low@" })).toEqual(["low@example.com"]);
    expect(await found({ q: "cus_", partner_code: bob.code })).toEqual([ofBob]);
    expect(await found({ test_mode: "true" })).toEqual(["test_1"]);
    const { body } = await people.viewer.get<{ data: JsonObject[] }>(
      `${path(world)}${withQuery({ partnerCode: bob.code, hasSale: "true", testMode: "false" })}`,
    );
    expect(body.data.map((row) => row.customerKey)).toEqual([ofBob]);
  });

  test.each([
    ["source=ads", "source"],
    ["attributed=yes", "attributed"],
    ["has_sale=1", "has_sale"],
    ["from=2026-01-01", "from"],
    ["to=tomorrow", "to"],
    ["from=2026-02-02T00:00:00Z&to=2026-02-01T00:00:00Z", "from"],
    ["q=", "q"],
    [`q=${"x".repeat(256)}&source=click`, "q"],
    ["q=%00", "q"],
    ["customer_key=", "customer_key"],
    ["test_mode=on", "test_mode"],
    ["cursor=x", "cursor"],
    [`cursor=${Buffer.from('["customers",true,-1]').toString("base64url")}`, "cursor"],
    ["format=xml", "format"],
  ])("customers can't be listed with the query %s", async (query, field) => {
    const refused = await list(await people.world(), `?${query}`);
    expect([refused.status, invalidFields(refused)]).toEqual([400, [field]]);
  });

  test.each(["%", "_", "cus%", "'; drop table customers; --", "\u{10FFFF}", "*", '"', "😀"])(
    "a search for customers takes %s literally, not as a pattern, and finds no customer",
    async (q) => {
      const { world } = await sold();
      expect(await keysOf(world, withQuery({ q }))).toEqual([]);
      expect(await keysOf(world, withQuery({ partner_code: q }))).toEqual([]);
    },
  );

  test("customers of another program, of the test book and of verification runs aren't listed", async () => {
    await sold();
    const other = await opened();
    expect(await keysOf(other.world)).toEqual([]);
    const { body } = await sharedApi().verification({ key: other.world.key });
    expect(body).toMatchObject({ data: { attributed: true } });
    expect(await keysOf(other.world, "?test_mode=true")).toEqual([]);
    await other.sale({ transaction_id: "x", customer_key: "verification_mine", ...inTestMode });
    expect(await keysOf(other.world, "?test_mode=true")).toEqual(["verification_mine"]);
    expect(await keysOf(other.world, "?customer_key=cus_1")).toEqual([]);
    expect(await keysOf(other.world, "?q=cus_")).toEqual([]);
  });

  test("customers of the live book aren't readable with a test key", async () => {
    const { world } = await opened({ keys: [{ scopes: ["read"], book: "test" }] });
    const refused = await list(world);
    expect([refused.status, refused.body]).toMatchObject([403, { error: { details: { code: "test_key" } } }]);
    expect((await list(world, "?format=csv")).status).toBe(403);
    expect(await keysOf(world, "?test_mode=true")).toEqual([]);
  });

  test("erased customers are listed by pseudonym, which no filter finds, with the same sums as before", async () => {
    const { world, alice } = await sold();
    const before = (await list(world)).body.data[3];
    const erase = `/api/programs/${world.programId}/privacy/erase`;
    expect((await people.owner.post(erase, { customerKey: "cus_1", confirm: true })).status).toBe(200);
    const { data } = (await list(world)).body;
    const pseudonym = String(data[3]?.customer_key);
    expect(pseudonym).not.toBe("cus_1");
    expect(data[3]).toEqual({ ...before, customer_key: pseudonym });
    for (const query of [
      ...[{ customer_key: pseudonym }, { q: pseudonym }, { q: pseudonym.slice(0, 4) }],
      ...[{ customer_key: "cus_1" }, { q: "cus_1" }, { q: "ann@example.com" }],
    ]) {
      expect(await keysOf(world, withQuery(query))).toEqual([]);
    }
    expect(await keysOf(world, withQuery({ partner_code: alice.code }))).toEqual([null, pseudonym]);
  });

  test("customers are listed with the sums of their corrected sales, and without the replaced sales", async () => {
    const shop = await sold();
    const { rows, programId } = shop.world;
    const [sale] = await rows("select id from sales where program_id = ? and transaction_id = 'a1'", programId);
    const corrected = await people.admin.post(`/api/programs/${programId}/sales/${sale?.id}/correct`, {
      ...{ amountCents: 4_000, reason: "wrong amount" },
    });
    expect(corrected.status, corrected.text).toBe(200);
    const [, , , ofAlice] = (await list(shop.world)).body.data;
    expect(ofAlice).toMatchObject({ sales: 2, sums: [euros(4_000, 900, 620), euros(1_000, 0, 200, "USD")] });
  });

  test("pages of customers contain each customer once, even while others are added", async () => {
    const { world, lead, click, alice } = await opened();
    const add = (i: number) => lead({ customer_key: `c${i}`, click_id: click(alice) });
    for (let i = 0; i < 5; i += 1) await Promise.all(Array.from({ length: 25 }, (_, j) => add(i * 25 + j)));
    const keys: unknown[] = [];
    let cursor: string | null | undefined;
    while (cursor !== null) {
      const { body } = await list(world, cursor === undefined ? "" : `?cursor=${cursor}`);
      keys.push(...body.data.map((row) => row.customer_key));
      cursor = body.meta.next_cursor;
      await add(1_000 + keys.length);
    }
    expect([keys.length, new Set(keys).size]).toEqual([125, 125]);
  });

  test("a list of customers is the same for 100 parallel readers", async () => {
    const { world } = await sold();
    const expected = (await list(world)).body;
    const replies = await Promise.all(Array.from({ length: 100 }, () => list(world)));
    for (const { status, body } of replies) expect([status, body]).toEqual([200, expected]);
  });

  test("a download of customers has a line for each currency of a customer, and counts each sale on one line", async () => {
    const { world, alice, bob } = await sold();
    await programFixture(world, sharedApi()).sale({ transaction_id: "f", customer_key: "=1+1", amount_cents: 100 });
    const { status, text, headers } = await people.viewer.get(`${path(world)}?format=csv`, { checked: false });
    expect([status, headers.get("content-type")]).toEqual([200, "text/csv; charset=utf-8"]);
    expect(headers.get("content-disposition")).toMatch(/^attachment; filename="tributary-.*-customers\.csv"$/);
    const [head, ...lines] = parseCsv(text.replace("\uFEFF", ""));
    expect(head).toEqual([
      ...["customer_key", "partner_code", "source", "since", "locked", "known_since", "first_sale_at"],
      ...["other_sales", "sales", "currency", "amount", "refunded", "commission"],
    ]);
    const shown = lines.map(([key, code, , , , , , ...figures]) => [key, code, ...figures]);
    expect(shown).toEqual([
      ["'=1+1", "", "1", "0", "", "", "", ""],
      ["", alice.code, "0", "0", "", "", "", ""],
      ["Organic@Example.com", "", "1", "0", "", "", "", ""],
      ["cus_2", bob.code, "0", "1", "EUR", "20.00", "0.00", "4.00"],
      ["cus_1", alice.code, "0", "1", "EUR", "49.00", "9.00", "8.00"],
      ["cus_1", alice.code, "0", "1", "USD", "10.00", "0.00", "2.00"],
    ]);
    const byKey = await list(world, "?format=csv&partner_code=unknown", false);
    expect([byKey.status, parseCsv(byKey.text).length]).toEqual([200, 1]);
    const filtered = await list(world, `?format=csv&partner_code=${bob.code}`, false);
    expect(parseCsv(filtered.text)).toHaveLength(2);
  });

  test("each member of the workspace can read the list of customers, and no one else", async () => {
    const { world } = await sold();
    for (const user of [people.owner, people.admin, people.viewer]) {
      expect((await user.get(path(world))).status).toBe(200);
    }
    expect((await people.stranger.get(path(world))).status).toBe(403);
    expect((await sharedApi().request("GET", path(world), { key: world.key })).status).toBe(401);
    expect((await sharedApi().request("GET", "/api/v1/programs/me/customers")).status).toBe(401);
  });
});
