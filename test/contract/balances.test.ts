import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../harness/client.ts";
import type { WorldSettings } from "../../harness/world.ts";
import { expectLedgerConsistent } from "../support/expect-ledger-consistent.ts";
import { parseCsv } from "../support/parse-csv.ts";
import { inTestMode, programFixture } from "../support/program-fixture.ts";
import { type SalesFixture, salesFixture } from "../support/sales-fixture.ts";
import { sharedApi } from "../support/shared-service.ts";
import { invalidFields, usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile();

interface Balance {
  readonly partnerId: number;
  readonly name: string;
  readonly currency: string;
  readonly pendingCents: number;
  readonly payableCents: number;
  readonly inPayoutCents: number;
  readonly paidCents: number;
  readonly carriedCents: number;
}
interface Page {
  readonly data: Balance[];
  readonly meta: { readonly nextCursor: string | null };
}

async function open(settings: WorldSettings = {}): Promise<SalesFixture> {
  const shop = salesFixture(programFixture(await people.world({ partners: [{}, {}], ...settings }), sharedApi()));
  await shop.refer("c1");
  await shop.refer("c2", { partner: shop.bob });
  return shop;
}

const path = ({ world }: SalesFixture) => `/api/programs/${world.programId}/balances`;
const list = async (shop: SalesFixture, query = "") => (await people.viewer.get<Page>(path(shop) + query)).body;
const amounts = ({ pendingCents, payableCents, inPayoutCents, paidCents, carriedCents }: Balance) => [
  pendingCents,
  payableCents,
  inPayoutCents,
  paidCents,
  carriedCents,
];
const decide = (shop: SalesFixture, id: number, verb: "approve" | "reject") =>
  people.admin.post(`/api/programs/${shop.world.programId}/commissions/${id}/${verb}`, { reason: "self-referral" });

const balancesOf = async (shop: SalesFixture) => (await list(shop)).data.map(amounts);

describe("the list of balances", () => {
  test("the list of balances has a row for each partner and currency, ordered by currency", async () => {
    const shop = await open({ policies: [{ holdDays: 0 }] });
    const { alice, bob } = shop;
    await shop.sell({ amount_cents: 1_000 });
    await shop.sell({ amount_cents: 2_000, currency: "JPY" });
    await shop.sell({ amount_cents: 3_000, customer_key: "c2", currency: "kwd" });
    await shop.sell({ amount_cents: 9_000, ...inTestMode });
    const { data, meta } = await list(shop);
    expect(meta.nextCursor).toBe(null);
    const named = ({ id, code }: typeof alice) => ({ partnerId: id, partnerCode: code, name: `Partner ${code}` });
    const nothing = { pendingCents: 0, payableCents: 0, inPayoutCents: 0, paidCents: 0, carriedCents: 0 };
    expect(data).toEqual([
      { ...named(alice), currency: "EUR", ...nothing, payableCents: 200 },
      { ...named(alice), currency: "JPY", ...nothing, payableCents: 400 },
      { ...named(bob), currency: "KWD", ...nothing, payableCents: 600 },
    ]);
    await expectLedgerConsistent(shop.world);
  });

  test("the list of balances shows a commission as pending, then payable, then reversed", async () => {
    const shop = await open();
    const { commission_id } = (await shop.sell({ transaction_id: "t" })).body;
    const other = (await shop.sell()).body.commission_id;
    expect(await balancesOf(shop)).toEqual([[400, 0, 0, 0, 0]]);
    await decide(shop, commission_id, "approve");
    expect(await balancesOf(shop)).toEqual([[200, 200, 0, 0, 0]]);
    await shop.giveBack("t", { refund_amount_cents: 250 });
    expect(await balancesOf(shop)).toEqual([[200, 150, 0, 0, 0]]);
    await decide(shop, other, "reject");
    expect(await balancesOf(shop)).toEqual([[0, 150, 0, 0, 0]]);
    await expectLedgerConsistent(shop.world);
  });

  test("the list of balances counts unconfirmed commissions, reported only by a browser, as pending", async () => {
    const shop = await open({ policies: [{ holdDays: 0 }] });
    await shop.browserLead({ customer_key: "c3", click_id: shop.click(shop.alice) });
    await shop.sell({ customer_key: "c3" });
    expect(await balancesOf(shop)).toEqual([[200, 0, 0, 0, 0]]);
  });

  test.each([["cursor=x&format=xml", ["cursor", "format"]]])(
    "the list of balances refuses the query %s",
    async (query, fields) => {
      const reply = await people.viewer.get(`${path(await open())}?${query}`);
      expect([reply.status, invalidFields(reply)]).toEqual([400, fields]);
    },
  );
});

describe("a payout", () => {
  const write = async (shop: SalesFixture, rest: string, body: JsonObject = {}) => {
    const reply = await people.admin.post<{ data: { id: number } }>(
      `/api/programs/${shop.world.programId}/payouts${rest}`,
      body,
    );
    expect(reply.status, reply.text).toBeLessThan(300);
    return reply.body.data.id;
  };
  const reserved = async () => {
    const shop = await open({ policies: [{ holdDays: 0 }] });
    await shop.sell({ transaction_id: "t" });
    const id = await write(shop, "", { currency: "EUR" });
    await shop.sell({ transaction_id: "other" });
    expect(await balancesOf(shop)).toEqual([[0, 400, 0, 0, 0]]);
    await write(shop, `/${id}/finalize`);
    return { shop, id };
  };

  test("a payout reduces the payable amount by its total, and later refunds beyond the rest of that amount are carried over", async () => {
    const { shop } = await reserved();
    expect(await balancesOf(shop)).toEqual([[0, 200, 200, 0, 0]]);
    await shop.giveBack("t", { refund_amount_cents: 500 });
    expect(await balancesOf(shop)).toEqual([[0, 100, 200, 0, 0]]);
    await shop.giveBack("other");
    expect(await balancesOf(shop)).toEqual([[0, 0, 200, 0, -100]]);
    await expectLedgerConsistent(shop.world);
  });

  test("a payout returns its total to the payable amount when canceled", async () => {
    const { shop, id } = await reserved();
    await write(shop, `/${id}/cancel`);
    expect(await balancesOf(shop)).toEqual([[0, 400, 0, 0, 0]]);
    await expectLedgerConsistent(shop.world);
  });

  test("a payout counts as paid when it is confirmed, and as payable again if the payment fails", async () => {
    const { shop, id } = await reserved();
    await write(shop, `/${id}/confirm`);
    expect(await balancesOf(shop)).toEqual([[0, 200, 0, 200, 0]]);
    await write(shop, `/${id}/lines/${shop.alice.id}/fail`, { reason: "account closed" });
    expect(await balancesOf(shop)).toEqual([[0, 400, 0, 0, 0]]);
    await expectLedgerConsistent(shop.world);
  });
});

/** Opens a program with this many partners and balances, which are written directly to the database. */
async function openBig(partners: number): Promise<SalesFixture> {
  const shop = await open();
  const { programId } = shop.world;
  const base = 2 ** 47 + programId;
  const numbers = `with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${partners})`;
  await shop.world.write(
    {
      sql: `insert into partners (id, program_id, name, status, is_synthetic, created_at)
        ${numbers} select ${base} + n, ?, '=cmd' || n, 'active', 0, 1 from numbers`,
      args: [programId],
    },
    {
      sql: `insert into referral_links (id, program_id, partner_id, code, code_key, status, created_at)
        ${numbers} select ${base} + n, ?, ${base} + n, 'p' || n, 'p' || n, 'active', 1 from numbers`,
      args: [programId],
    },
    {
      sql: `insert into partner_balances (program_id, currency, partner_id, payable_cents)
        ${numbers} select ?, iif(n % 2, 'EUR', 'USD'), ${base} + n, iif(n % 3, n, -n) from numbers`,
      args: [programId],
    },
  );
  return shop;
}

test("a partner has a balance in each currency of their ledger entries, and none before the first entry", async () => {
  const shop = await open({ policies: [{ holdDays: 0 }] });
  const read = async ({ id }: { readonly id: number }) =>
    (await people.viewer.get<{ data: { balances: object[] } }>(`/api/programs/${shop.world.programId}/partners/${id}`))
      .body.data.balances;
  expect(await read(shop.alice)).toEqual([]);
  await shop.sell({ amount_cents: 2_000, currency: "JPY" });
  await shop.sell();
  await shop.sell({ customer_key: "c2", currency: "USD" });
  await shop.sell({ amount_cents: 9_000, currency: "KWD", ...inTestMode });
  const payouts = `/api/programs/${shop.world.programId}/payouts`;
  const { body } = await people.admin.post<{ data: { id: number } }>(payouts, { currency: "EUR" });
  expect((await people.admin.post(`${payouts}/${body.data.id}/finalize`, {})).status).toBe(200);
  const listed = (await list(shop)).data.filter(({ partnerId }) => partnerId === shop.alice.id);
  expect(listed.map(({ currency, inPayoutCents }) => [currency, inPayoutCents])).toEqual([
    ["EUR", 200],
    ["JPY", 0],
  ]);
  expect(await read(shop.alice)).toEqual(
    listed.map(({ currency, pendingCents, payableCents, inPayoutCents, paidCents, carriedCents }) => ({
      ...{ currency, pendingCents, payableCents, inPayoutCents, paidCents, carriedCents },
    })),
  );
});

describe("a long list of balances", () => {
  test("a long list of balances is paged, with each balance once", async () => {
    const shop = await openBig(120);
    const seen: string[] = [];
    const sizes: number[] = [];
    for (let query = ""; ; ) {
      const { data, meta } = await list(shop, query);
      seen.push(...data.map(({ currency, partnerId }) => `${currency} ${partnerId}`));
      sizes.push(data.length);
      if (meta.nextCursor === null) break;
      query = `?cursor=${meta.nextCursor}`;
    }
    expect(sizes).toEqual([50, 50, 20]);
    expect(seen).toEqual([...new Set(seen)].toSorted());

    const first = await list(shop, "?sort=payable&nonzero=true");
    const rest = await list(shop, `?sort=payable&nonzero=true&cursor=${first.meta.nextCursor}`);
    const owed = [...first.data, ...rest.data].map(({ currency, payableCents }) => [currency, payableCents]);
    const largest = (currency: string, odd: number, hasPay: boolean) =>
      Array.from({ length: 120 }, (_, i) => 120 - i).flatMap((n) =>
        n % 2 === odd && n % 3 > 0 === hasPay ? [[currency, n]] : [],
      );
    expect([first.data.length, rest.meta.nextCursor]).toEqual([50, null]);
    expect(owed).toEqual([...largest("EUR", 1, true), ...largest("USD", 0, true)]);
    const carried = (await list(shop, "?sort=carried&nonzero=true&currency=USD")).data;
    expect(carried.map(({ currency, carriedCents }) => [currency, -carriedCents])).toEqual(largest("USD", 0, false));
    expect((await list(shop, "?sort=inPayout&nonzero=true")).data).toEqual([]);
    for (const query of ["?nonzero=true", `?sort=payable&cursor=${first.meta.nextCursor}`]) {
      expect((await people.viewer.get(path(shop) + query, { checked: false })).status).toBe(400);
    }
  });

  test("a long list of balances downloads as one CSV file, with formulas in names escaped and amounts as numbers", async () => {
    const shop = await openBig(1_201);
    const { headers, text, status } = await people.viewer.get(`${path(shop)}?format=csv`, { checked: false });
    expect([status, headers.get("Content-Type")]).toEqual([200, "text/csv; charset=utf-8"]);
    expect(headers.get("Content-Disposition")).toMatch(
      /^attachment; filename="tributary-test-program-balances-\d{4}-\d\d-\d\d.csv"$/,
    );
    const [head, ...lines] = parseCsv(text);
    const amountColumns = ["on_hold", "to_pay", "to_be_deducted", "in_payout", "paid"];
    expect(head).toEqual(["partner_id", "partner_code", "partner", ...amountColumns, "currency"]);
    expect(lines).toHaveLength(1_201);
    expect(new Set(lines.map(([id]) => id)).size).toBe(1_201);
    expect(lines.every(([, , name = ""]) => name.startsWith("'=cmd"))).toBe(true);
    const carried = lines.reduce((sum, line) => sum + Math.round(Number(line[5]) * 100), 0);
    expect(carried).toBe(-Array.from({ length: 400 }, (_, i) => 3 * (i + 1)).reduce((sum, n) => sum + n, 0));
  });
});
